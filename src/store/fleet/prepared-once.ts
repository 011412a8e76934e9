import type { Database, Prepared, Statement } from '../driver.ts';

/**
 * A connection that compiles each text once and keeps it, for one that is asked the same again and
 * again. Rows one by one come from a statement of their own, as another may be asked for meanwhile.
 */
export function preparedOnce(db: Database): Database {
  const statements = new Map<string, KeptStatement>();
  const kept = (sql: string): KeptStatement => {
    let known = statements.get(sql);
    if (known === undefined) {
      known = new KeptStatement(db, sql);
      statements.set(sql, known);
    }
    return known;
  };
  return {
    get open() {
      return db.open;
    },
    get inTransaction() {
      return db.inTransaction;
    },
    prepare<Parameters extends unknown[] | object, Row>(sql: string): Prepared<Parameters, Row> {
      return kept(sql) as unknown as Prepared<Parameters, Row>;
    },
    // Of whoever reads: the beginning or the end of a transaction.
    exec: (sql) => void kept(sql).run(),
    pragma: (source, options) => db.pragma(source, options),
    close: () => db.close(),
  };
}

class KeptStatement implements Statement {
  readonly #db: Database;
  readonly #sql: string;
  readonly #statement: Statement;
  #plucked: Statement | null = null;

  constructor(db: Database, sql: string) {
    this.#db = db;
    this.#sql = sql;
    this.#statement = db.prepare(sql);
  }

  run(...parameters: unknown[]): { changes: number | bigint } {
    return this.#statement.run(...parameters);
  }

  get(...parameters: unknown[]): unknown {
    return this.#statement.get(...parameters);
  }

  all(...parameters: unknown[]): unknown[] {
    return this.#statement.all(...parameters);
  }

  iterate(...parameters: unknown[]): IterableIterator<unknown> {
    return this.#db.prepare(this.#sql).iterate(...parameters);
  }

  pluck(): Statement {
    this.#plucked ??= this.#db.prepare(this.#sql).pluck();
    return this.#plucked;
  }
}
