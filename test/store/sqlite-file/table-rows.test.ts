import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/driver.ts';
import { freePages } from '../../../src/store/sqlite-file/free-pages.ts';
import { PageFile } from '../../../src/store/sqlite-file/page-file.ts';
import { readRecord, type StoredValue } from '../../../src/store/sqlite-file/record.ts';
import { type LostPart, tableRows } from '../../../src/store/sqlite-file/table-rows.ts';
import { killedRecording, overwrite, pageBytes } from '../../support/damaged-recording.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = folder.file('a.db');
});
afterEach(() => folder[Symbol.dispose]());

interface Read {
  rows: { key: number | null; values: readonly StoredValue[] }[];
  lost: LostPart[];
}

/** Every row of a table, read without SQLite. */
function readTable(root: number, badPages: readonly number[] = []): Read {
  using pages = new PageFile(file, { badPages, pageSizeBytes: pageBytes });
  const lost: LostPart[] = [];
  const walk = {
    file: pages,
    visited: new Set<number>(),
    onLost: (part: LostPart) => lost.push(part),
  };
  return { rows: [...tableRows(walk, root)], lost };
}

/** What SQLite says of the same file. */
function sqlite<T>(read: (db: Database) => T): T {
  const db = openDatabase(file, { mode: 'create', busyTimeoutMs: 1000 });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

/** Rows as lists of their values. */
function listsOf(db: Database, sql: string): unknown[][] {
  return db
    .prepare<[], object>(sql)
    .all()
    .map((row) =>
      Object.values(row).map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
    );
}

const rootOf = (table: string) =>
  sqlite(
    (db) =>
      db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table) as number,
  );

/** SQLite without a log and with small pages, so that trees are deep and rows overflow. */
function makeTable(sql: string, pageSize = 512): void {
  execFileSync('sqlite3', [file], { input: `PRAGMA page_size = ${pageSize};\n${sql}` });
}

describe('the rows of a table are those that SQLite reads', () => {
  const values = `SELECT value AS a,
    CASE value % 7 WHEN 0 THEN NULL WHEN 1 THEN value * 1000003 WHEN 2 THEN -value
      WHEN 3 THEN value / 3.0 WHEN 4 THEN 'Zahl ' || value || ' ümläut 🙂' WHEN 5 THEN 0 ELSE 1 END AS b,
    CASE value % 50 WHEN 0 THEN hex(zeroblob(value * 9)) ELSE zeroblob(value % 20) END AS c
    FROM generate_series(1, 900)`;

  test('by number, three levels deep, with rows longer than a page', () => {
    makeTable(`CREATE TABLE t (a INTEGER PRIMARY KEY, b, c); INSERT INTO t ${values};`);
    const expected = sqlite((db) => listsOf(db, 'SELECT a, b, c FROM t'));
    const { rows, lost } = readTable(rootOf('t'));
    expect(rows.map(({ key, values: [, b, c] }) => [key, b, c])).toEqual(expected);
    expect(lost).toEqual([]);
  });

  test('WITHOUT ROWID', () => {
    makeTable(`CREATE TABLE t (a, b, c, PRIMARY KEY (a)) WITHOUT ROWID; INSERT INTO t ${values};`);
    const expected = sqlite((db) => listsOf(db, 'SELECT a, b, c FROM t'));
    const { rows, lost } = readTable(rootOf('t'));
    expect(rows).toEqual(expected.map((row) => ({ key: null, values: row })));
    expect(lost).toEqual([]);
  });

  test('with pages of 64 KiB', () => {
    makeTable(`CREATE TABLE t (a INTEGER PRIMARY KEY, b, c); INSERT INTO t ${values};`, 65_536);
    const expected = sqlite((db) => listsOf(db, 'SELECT a, b, c FROM t'));
    const { rows } = readTable(rootOf('t'));
    expect(rows.map(({ key, values: [, b, c] }) => [key, b, c])).toEqual(expected);
  });

  test('of a recording whose recorder was killed, with its log', () => {
    killedRecording(file, { tickCount: 300 });
    fs.copyFileSync(file, folder.file('b.db'));
    fs.copyFileSync(`${file}-wal`, folder.file('b.db-wal'));
    const pulled = openDatabase(folder.file('b.db'), { mode: 'create', busyTimeoutMs: 1000 });
    const ticks = listsOf(pulled, 'SELECT sequence, time_unix_ms FROM tick');
    const root = pulled
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'tick'")
      .pluck()
      .get() as number;
    pulled.close();
    const { rows, lost } = readTable(root);
    expect(rows.map(({ key, values: [, time] }) => [key, time])).toEqual(ticks);
    expect(ticks).toHaveLength(300);
    expect(lost).toEqual([]);
  });
});

describe('a damaged table', () => {
  beforeEach(() => {
    makeTable(`CREATE TABLE t (a INTEGER PRIMARY KEY, b);
      INSERT INTO t SELECT value, hex(zeroblob(20)) FROM generate_series(1, 500);`);
  });
  const keys = (read: Read) => read.rows.map(({ key }) => key);

  test('without one of its pages has all other rows, and tells which are lost', () => {
    const all = keys(readTable(rootOf('t')));
    const root = rootOf('t');
    const pageCount = fs.statSync(file).size / 512;
    let lostSomething = 0;
    for (let page = 3; page <= pageCount; page++) {
      const read = readTable(root, [page]);
      const left = new Set(keys(read));
      const missing = all.filter((key) => !left.has(key));
      expect(read.lost).toHaveLength(1);
      const [part] = read.lost;
      expect(part?.page).toBe(page);
      // The keys around it are those of its own rows.
      expect(missing[0]).toBe((part?.afterKey ?? 0) + 1);
      expect(missing.at(-1)).toBe(part?.throughKey ?? 500);
      lostSomething++;
    }
    expect(lostSomething).toBeGreaterThan(40);
  });

  test('with any bytes anywhere never loops or throws, and gives no row twice', () => {
    const whole = fs.readFileSync(file);
    const root = rootOf('t');
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 40 }), bytes, (offset, damage) => {
        overwrite(file, offset, damage);
        const found = keys(readTable(root));
        expect(new Set(found).size).toBe(found.length);
        overwrite(file, offset, whole.subarray(offset, offset + damage.length));
      }),
      { numRuns: 60 },
    );
  });
});

test('free pages are those that SQLite counts', () => {
  makeTable(`CREATE TABLE t (a INTEGER PRIMARY KEY, b);
    INSERT INTO t SELECT value, hex(zeroblob(20)) FROM generate_series(1, 20000);
    DELETE FROM t WHERE a > 100;`);
  const expected = sqlite((db) => db.pragma('freelist_count', { simple: true }));
  using pages = new PageFile(file, { badPages: [], pageSizeBytes: 512 });
  expect(freePages(pages).size).toBe(expected);
  expect(expected).toBeGreaterThan(1000);
});

test('any bytes are a row or are not, and never more than they hold', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const values = readRecord(Buffer.from(bytes));
      expect(values === null || values.length <= bytes.length).toBe(true);
    }),
  );
});
