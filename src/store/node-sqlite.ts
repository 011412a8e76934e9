import { pathToFileURL } from 'node:url';
import type { Database, OpenOptions, Prepared, Statement } from './driver.ts';
import { resultCodeName } from './sqlite-codes.ts';

/**
 * Why the SQLite of this Node.js is not used; null when it is good enough: with all that the adapter
 * calls (Node.js 22.16), and without the WAL-reset bug, which can corrupt a file that two processes
 * write to, as recorder and exporter do (sqlite.org/wal.html, fixed in 3.51.3).
 */
export function nodeSqliteProblem(
  version: string | null = process.versions['sqlite'] ?? null,
): string | null {
  if (version === null) return `Node.js ${process.versions.node} has none`;
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major * 1e6 + minor * 1e3 + patch < 3_051_003) {
    return `its SQLite ${version} can corrupt a file (the WAL-reset bug); 3.51.3 cannot`;
  }
  const { StatementSync } = nodeSqlite() ?? {};
  return StatementSync !== undefined && 'setReturnArrays' in StatementSync.prototype
    ? null
    : `that of Node.js ${process.versions.node} lacks what is needed`;
}

/** Opens a file with node:sqlite, which has to be good enough. Errors have the codes of SQLite. */
export function openNodeSqlite(path: string, { mode, busyTimeoutMs }: OpenOptions): Database {
  const { DatabaseSync } = nodeSqlite() ?? {};
  if (DatabaseSync === undefined) throw new Error(nodeSqliteProblem() ?? 'no node:sqlite');
  const name = path === ':memory:' ? path : `${pathToFileURL(path).href}?mode=${uriModes[mode]}`;
  return withCode(() => new NodeDatabase(new DatabaseSync(name, { timeout: busyTimeoutMs })));
}

// https://www.sqlite.org/uri.html: the only way to ask for a file that exists already.
const uriModes = { read: 'ro', write: 'rw', create: 'rwc' };

class NodeDatabase implements Database {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  get open(): boolean {
    return this.#db.isOpen;
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  prepare<Parameters extends unknown[] | object, Row>(sql: string): Prepared<Parameters, Row> {
    const statement: unknown = new NodeStatement(withCode(() => this.#db.prepare(sql)));
    return statement as Prepared<Parameters, Row>;
  }

  exec(sql: string): void {
    withCode(() => this.#db.exec(sql));
  }

  pragma(source: string, options: { simple?: boolean } = {}): unknown {
    const statement = this.prepare<[], unknown>(`PRAGMA ${source}`);
    return options.simple === true ? statement.pluck().get() : statement.all();
  }

  close(): void {
    if (this.#db.isOpen) withCode(() => this.#db.close());
  }
}

class NodeStatement<Parameters extends unknown[], Row> implements Statement<Parameters, Row> {
  readonly #statement: StatementSync;
  #isPlucked = false;

  constructor(statement: StatementSync) {
    this.#statement = statement;
  }

  run(...parameters: Parameters): { changes: number | bigint } {
    return withCode(() => this.#statement.run(...listed(parameters)));
  }

  get(...parameters: Parameters): Row | undefined {
    const row = withCode(() => this.#statement.get(...listed(parameters)));
    return row === undefined ? undefined : this.#rowOf(row);
  }

  all(...parameters: Parameters): Row[] {
    const rows = withCode(() => this.#statement.all(...listed(parameters)));
    return this.#isPlucked ? rows.map((row) => this.#rowOf(row)) : (rows as Row[]);
  }

  *iterate(...parameters: Parameters): IterableIterator<Row> {
    const rows = withCode(() => this.#statement.iterate(...listed(parameters)));
    try {
      for (;;) {
        const { done, value } = withCode(() => rows.next());
        if (done === true) return;
        yield this.#rowOf(value);
      }
    } finally {
      rows.return?.();
    }
  }

  pluck(): this {
    this.#statement.setReturnArrays(true);
    this.#isPlucked = true;
    return this;
  }

  #rowOf(row: unknown): Row {
    return (this.#isPlucked ? (row as unknown[])[0] : row) as Row;
  }
}

/** As better-sqlite3 takes them: all in one array, if need be, and undefined is NULL. */
function listed(parameters: readonly unknown[]): readonly unknown[] {
  const [first] = parameters;
  const list: readonly unknown[] = Array.isArray(first) ? first : parameters;
  return list.includes(undefined) ? list.map((value) => value ?? null) : list;
}

function withCode<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    throw codedError(error);
  }
}

/** The same error, with SQLite's name of it as its code, as better-sqlite3 has it. */
function codedError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error) {
    error.code = resultCodeName(Number(error.errcode)) ?? error.code;
  }
  // An integer beyond 2^53, which no recorder writes.
  if (error.code === 'ERR_OUT_OF_RANGE') error.code = 'SQLITE_CORRUPT';
  return error;
}

/** The part of node:sqlite that is used here. The types of Node.js 20 do not have it. */
interface NodeSqlite {
  DatabaseSync: new (path: string, options: { timeout: number }) => DatabaseSync;
  StatementSync: { prototype: object };
}

interface DatabaseSync {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  prepare(sql: string): StatementSync;
  exec(sql: string): void;
  close(): void;
}

interface StatementSync {
  run(...parameters: readonly unknown[]): { changes: number | bigint };
  get(...parameters: readonly unknown[]): unknown;
  all(...parameters: readonly unknown[]): unknown[];
  iterate(...parameters: readonly unknown[]): Iterator<unknown>;
  setReturnArrays(enabled: boolean): void;
}

let loaded: NodeSqlite | undefined;

/** Undefined where there is none. Its warning that it is experimental is not for the user. */
function nodeSqlite(): NodeSqlite | undefined {
  if (loaded !== undefined) return loaded;
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!/SQLite is an experimental feature/.test(String(warning))) {
      Reflect.apply(emitWarning, process, [warning, ...rest]);
    }
  };
  try {
    loaded = process.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined;
    return loaded;
  } finally {
    process.emitWarning = emitWarning;
  }
}
