import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqliteDriver } from '../../src/store/choose-driver.ts';
import {
  type Database,
  fileError,
  type OpenOptions,
  openDatabase,
  sqliteCode,
  transaction,
} from '../../src/store/driver.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { mountTmpfs } from '../support/tmpfs.ts';

/**
 * What the store relies on, whichever driver it has: this file runs on the one of its process. With
 * better-sqlite3 it does here, on Node.js 20, and with node:sqlite in test/e2e/node-22.test.ts.
 */
console.info(`driver: ${sqliteDriver().name}, Node.js ${process.versions.node}`);

let folder: ReturnType<typeof temporaryFolder>;
let db: Database;

beforeEach(() => {
  folder = temporaryFolder();
  db = open('a.db');
  db.exec(`CREATE TABLE figure (id INTEGER PRIMARY KEY, whole INTEGER, real REAL, text TEXT,
    bytes BLOB) STRICT`);
});

afterEach(() => {
  db.close();
  folder[Symbol.dispose]();
});

function open(name: string, mode: OpenOptions['mode'] = 'create', busyTimeoutMs = 0): Database {
  return openDatabase(folder.file(name), { mode, busyTimeoutMs });
}

/** SQLite's code of what something fails with; what else it fails with is thrown. */
function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    const code = sqliteCode(error);
    if (code === null) throw error;
    return code;
  }
  throw new Error('it did not fail');
}

function insertFigures(count: number): void {
  const insert = db.prepare('INSERT INTO figure (whole, text) VALUES (?, ?)');
  const insertAll = () => {
    for (let at = 1; at <= count; at++) insert.run(at, `text ${at}`);
  };
  // One by one each would wait for the disk.
  if (db.inTransaction) insertAll();
  else transaction(db, 'immediate', insertAll);
}

describe('values', () => {
  test('what is stored is what is read', () => {
    const insert = db.prepare(
      'INSERT OR REPLACE INTO figure (id, whole, real, text, bytes) VALUES (1, ?, ?, ?, ?)',
    );
    const select = db.prepare<[], Record<string, unknown>>(
      'SELECT whole, real, text, bytes FROM figure',
    );
    const values = fc.tuple(
      fc.option(fc.maxSafeInteger()),
      fc.option(fc.double({ noNaN: true })),
      // Text ends at a NUL in one of the drivers; command lines are stored with it escaped.
      fc.option(fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))),
      fc.option(fc.uint8Array({ maxLength: 300 })),
    );
    fc.assert(
      fc.property(values, (row) => {
        insert.run(...row);
        const { whole, real, text, bytes } = select.get() ?? {};
        const [expectedWhole, expectedReal, expectedText, expectedBytes] = row;
        expect(whole).toBe(expectedWhole);
        // SQLite has one zero only.
        expect(real).toBe(expectedReal === 0 ? 0 : expectedReal);
        expect(text).toBe(expectedText);
        expect(bytes === null ? null : Buffer.from(bytes as Uint8Array)).toEqual(
          expectedBytes === null ? null : Buffer.from(expectedBytes),
        );
      }),
    );
  });

  test('every number is bound as floating-point; a column of whole numbers takes it as one', () => {
    const row = db.prepare('SELECT typeof(?) AS number, ? / 2 AS half').get(5, 5);
    expect(row).toEqual({ number: 'real', half: 2.5 });
    db.prepare('INSERT INTO figure (whole) VALUES (?)').run(2 ** 53 - 1);
    expect(db.prepare('SELECT typeof(whole) AS type, whole FROM figure').get()).toEqual({
      type: 'integer',
      whole: 9_007_199_254_740_991,
    });
    expect(codeOf(() => db.prepare('INSERT INTO figure (whole) VALUES (?)').run(0.5))).toBe(
      'SQLITE_CONSTRAINT_DATATYPE',
    );
  });

  test('NaN and undefined are NULL', () => {
    const select = db.prepare('SELECT ? AS value');
    expect(select.get(Number.NaN)).toEqual({ value: null });
    expect(select.get(undefined)).toEqual({ value: null });
  });

  test('an integer beyond 2^53 is stored exactly; read, it is rounded or damage, never a BigInt', () => {
    db.prepare('INSERT INTO figure (whole) VALUES (?)').run(2n ** 53n + 1n);
    expect(db.prepare('SELECT CAST(whole AS TEXT) AS text FROM figure').get()).toEqual({
      text: '9007199254740993',
    });
    const read = () => db.prepare('SELECT whole FROM figure').pluck().get();
    if (sqliteDriver().name === 'better-sqlite3') expect(read()).toBe(2 ** 53);
    else expect(codeOf(read)).toBe('SQLITE_CORRUPT');
  });
});

describe('statements', () => {
  test('take their parameters one by one, as one array, or by name', () => {
    const plain = db.prepare('SELECT ? AS a, ? AS b');
    expect(plain.get('x', null)).toEqual({ a: 'x', b: null });
    expect(plain.get(['x', null])).toEqual({ a: 'x', b: null });
    const named = db.prepare('SELECT @a AS a, @b AS b, @a AS again');
    expect(named.get({ a: 'x', b: 'y' })).toEqual({ a: 'x', b: 'y', again: 'x' });
    // Of the time before is nothing left.
    expect(plain.get('y', 'z')).toEqual({ a: 'y', b: 'z' });
  });

  test('give one row, all rows, rows one by one, or the first column of each', () => {
    insertFigures(3);
    const sql = 'SELECT id, text FROM figure ORDER BY id';
    const rows = [1, 2, 3].map((id) => ({ id, text: `text ${id}` }));
    expect(db.prepare(sql).get()).toEqual(rows[0]);
    expect(db.prepare(sql).all()).toEqual(rows);
    expect([...db.prepare(sql).iterate()]).toEqual(rows);
    expect(db.prepare(sql).pluck().get()).toBe(1);
    expect(db.prepare(sql).pluck().all()).toEqual([1, 2, 3]);
    expect([...db.prepare(sql).pluck().iterate()]).toEqual([1, 2, 3]);
  });

  test('without a row give none', () => {
    const empty = db.prepare('SELECT id FROM figure');
    expect(empty.get()).toBeUndefined();
    expect(empty.all()).toEqual([]);
    expect([...empty.iterate()]).toEqual([]);
    expect(empty.pluck().get()).toBeUndefined();
  });

  test('that are left in the middle hold nothing', () => {
    insertFigures(100);
    for (const id of db.prepare('SELECT id FROM figure').pluck().iterate()) {
      if (id === 2) break;
    }
    const reader = db.prepare<[], number>('SELECT id FROM figure').pluck();
    expect(reader.get()).toBe(1);
    db.exec('DROP TABLE figure');
    expect(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()).toBe(0);
  });

  test('that write tell how many rows they changed, and give what RETURNING asks for', () => {
    insertFigures(3);
    expect(db.prepare('UPDATE figure SET real = 1 WHERE id > ?').run(1).changes).toBe(2);
    const returning = db.prepare('INSERT INTO figure (text) VALUES (?) RETURNING id, text');
    expect(returning.get('x')).toEqual({ id: 4, text: 'x' });
    expect(db.prepare('SELECT count(*) FROM figure').pluck().get()).toBe(4);
  });

  test('are one each, and exec runs any number', () => {
    db.exec('CREATE TABLE b (x); CREATE TABLE c (x); INSERT INTO c VALUES (1)');
    expect(db.prepare('SELECT x FROM c').pluck().get()).toBe(1);
  });
});

describe('pragmas', () => {
  test('give their rows, or the first value', () => {
    expect(db.pragma('user_version')).toEqual([{ user_version: 0 }]);
    expect(db.pragma('user_version = 7')).toEqual([]);
    expect(db.pragma('user_version', { simple: true })).toBe(7);
    expect(db.pragma('journal_mode = WAL', { simple: true })).toBe('wal');
    expect(db.pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
    expect(db.pragma('optimize = 0', { simple: true })).toBeUndefined();
  });

  test('a connection begins with the same settings', () => {
    const settings = ['foreign_keys', 'busy_timeout', 'page_size', 'journal_mode'];
    const second = open('a.db', 'write', 321);
    expect(settings.map((name) => second.pragma(name, { simple: true }))).toEqual([
      1,
      321,
      4096,
      'delete',
    ]);
    second.close();
    // A word in double quotes is a name, never a text.
    expect(codeOf(() => db.prepare('SELECT "no such column"'))).toBe('SQLITE_ERROR');
  });
});

describe('transactions', () => {
  const count = () => db.prepare('SELECT count(*) FROM figure').pluck().get();

  test.each(['deferred', 'immediate'] as const)('%s: all of it or nothing', (kind) => {
    const result = transaction(db, kind, () => {
      insertFigures(2);
      expect(db.inTransaction).toBe(true);
      return 'done';
    });
    expect([result, count(), db.inTransaction]).toEqual(['done', 2, false]);
    const failure = new Error('half way');
    expect(() =>
      transaction(db, kind, () => {
        insertFigures(5);
        throw failure;
      }),
    ).toThrow(failure);
    expect([count(), db.inTransaction]).toEqual([2, false]);
  });

  test('immediate holds the lock of the one writer, deferred none', () => {
    const second = open('a.db', 'write');
    transaction(db, 'deferred', () => second.exec('CREATE TABLE b (x)'));
    const code = transaction(db, 'immediate', () =>
      codeOf(() => second.exec('CREATE TABLE c (x)')),
    );
    expect(code).toBe('SQLITE_BUSY');
    second.exec('CREATE TABLE c (x)');
    second.close();
  });

  test('deferred sees one state of the file while another connection writes', () => {
    db.pragma('journal_mode = WAL');
    insertFigures(1);
    const writer = open('a.db', 'write');
    transaction(db, 'deferred', () => {
      expect(count()).toBe(1);
      writer.exec('INSERT INTO figure (whole) VALUES (5)');
      expect(count()).toBe(1);
    });
    expect(count()).toBe(2);
    writer.close();
  });
});

describe('files', () => {
  test.each(['with space', 'what? #1 100%25 &mode=ro', 'file:a', 'été', 'it\'s "so"'])(
    'of the name %j',
    (name) => {
      const made = open(name);
      made.exec('CREATE TABLE a (x)');
      made.close();
      expect(existsSync(folder.file(name))).toBe(true);
      const again = open(name, 'read');
      expect(again.prepare('SELECT name FROM sqlite_schema').pluck().get()).toBe('a');
      again.close();
    },
  );

  test('only `create` makes one', () => {
    for (const mode of ['read', 'write'] as const) {
      expect(() => open('none.db', mode)).toThrow(
        expect.objectContaining({ code: 'FILE_NOT_READABLE' }),
      );
    }
    expect(readdirSync(folder.path)).not.toContain('none.db');
  });

  test('`read` leaves everything as it is', () => {
    insertFigures(10);
    db.close();
    const before = readFileSync(folder.file('a.db'));
    const reader = open('a.db', 'read');
    expect(reader.prepare('SELECT count(*) FROM figure').pluck().get()).toBe(10);
    expect(codeOf(() => reader.exec('DELETE FROM figure'))).toBe('SQLITE_READONLY');
    reader.close();
    expect(readFileSync(folder.file('a.db'))).toEqual(before);
    expect(readdirSync(folder.path)).toEqual(['a.db']);
  });

  test('the last one to close puts the log into the file', () => {
    db.pragma('journal_mode = WAL');
    insertFigures(1);
    expect(readdirSync(folder.path).toSorted()).toEqual(['a.db', 'a.db-shm', 'a.db-wal']);
    const half = db.prepare('SELECT id FROM figure');
    expect(half.get()).toEqual({ id: 1 });
    db.close();
    expect(readdirSync(folder.path)).toEqual(['a.db']);
  });

  test('closed twice is closed, and nothing works any more', () => {
    expect(db.open).toBe(true);
    const statement = db.prepare('SELECT 1');
    db.close();
    db.close();
    expect(db.open).toBe(false);
    expect(() => db.prepare('SELECT 1')).toThrow();
    expect(() => db.exec('SELECT 1')).toThrow();
    expect(() => statement.get()).toThrow();
  });

  test('VACUUM INTO makes a copy, and dbstat tells what is in it', () => {
    insertFigures(1000);
    db.prepare('VACUUM INTO ?').run(folder.file('copy.db'));
    const copy = open('copy.db', 'read');
    expect(copy.prepare('SELECT count(*) FROM figure').pluck().get()).toBe(1000);
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    const sizes = copy.prepare("SELECT sum(pgsize) FROM dbstat WHERE name = 'figure'").pluck();
    expect(sizes.get()).toBeGreaterThan(8192);
    copy.close();
  });
});

describe('what goes wrong has SQLite’s own name', () => {
  const damaged = (change: (bytes: Buffer) => Buffer): string => {
    insertFigures(2000);
    db.close();
    const path = folder.file('damaged.db');
    writeFileSync(path, change(readFileSync(folder.file('a.db'))));
    return path;
  };
  const readAll = (path: string) => {
    const reader = openDatabase(path, { mode: 'read', busyTimeoutMs: 0 });
    try {
      return reader.prepare('SELECT * FROM figure').all();
    } catch (error) {
      throw fileError(error, path);
    } finally {
      reader.close();
    }
  };

  test.each([
    ['SELECT', 'SQLITE_ERROR'],
    ['SELECT * FROM missing', 'SQLITE_ERROR'],
    ['INSERT INTO figure (id) VALUES (1)', 'SQLITE_CONSTRAINT_PRIMARYKEY'],
    ["INSERT INTO figure (whole) VALUES ('x')", 'SQLITE_CONSTRAINT_DATATYPE'],
    ["INSERT INTO figure (id) VALUES ('x')", 'SQLITE_MISMATCH'],
    ['SELECT zeroblob(2000000000)', 'SQLITE_TOOBIG'],
  ])('%s: %s', (sql, code) => {
    insertFigures(1);
    expect(codeOf(() => db.exec(sql))).toBe(code);
  });

  test('a full file', () => {
    db.pragma('max_page_count = 20');
    expect(codeOf(() => insertFigures(10_000))).toBe('SQLITE_FULL');
    expect(fileErrorOf(() => insertFigures(10_000))).toMatchObject({ code: 'STORE_FULL' });
  });

  test('a full disk, and the file is whole', ({ skip }) => {
    using disk = mountTmpfs(folder.file('disk'), 2 ** 20);
    if (disk === null) return skip();
    const onDisk = open('disk/b.db');
    onDisk.pragma('journal_mode = WAL');
    onDisk.pragma('wal_autocheckpoint = 0');
    onDisk.exec('CREATE TABLE b (x)');
    const insert = onDisk.prepare('INSERT INTO b VALUES (zeroblob(50000))');
    const fill = () => {
      for (let at = 0; at < 100; at++) insert.run();
    };
    expect(codeOf(() => transaction(onDisk, 'immediate', fill))).toBe('SQLITE_FULL');
    expect(onDisk.inTransaction).toBe(false);
    onDisk.close();
    const again = open('disk/b.db', 'write');
    expect(again.pragma('integrity_check', { simple: true })).toBe('ok');
    again.close();
  });

  test('another writer', () => {
    const second = open('a.db', 'write');
    db.exec('BEGIN IMMEDIATE');
    expect(codeOf(() => second.exec('BEGIN IMMEDIATE'))).toBe('SQLITE_BUSY');
    expect(fileErrorOf(() => second.exec('BEGIN IMMEDIATE'))).toMatchObject({
      code: 'STORE_BUSY',
    });
    db.exec('COMMIT');
    second.close();
  });

  test('a state of the file that is no longer the latest', () => {
    db.pragma('journal_mode = WAL');
    const second = open('a.db', 'write');
    second.exec('BEGIN');
    second.prepare('SELECT * FROM figure').all();
    insertFigures(1);
    const code = codeOf(() => second.exec('INSERT INTO figure (whole) VALUES (1)'));
    expect(code).toBe('SQLITE_BUSY_SNAPSHOT');
    second.close();
  });

  test('a damaged file', () => {
    const zeroed = damaged((bytes) =>
      Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(40_960)]),
    );
    expect(() => readAll(zeroed)).toThrow(expect.objectContaining({ code: 'FILE_CORRUPT' }));
  });

  test('a file that is none, which shows when it is read', () => {
    const text = damaged(() => Buffer.alloc(8192, 'no database, '));
    openDatabase(text, { mode: 'write', busyTimeoutMs: 0 }).close();
    expect(() => readAll(text)).toThrow(expect.objectContaining({ code: 'FILE_NOT_A_DATABASE' }));
  });

  test('a folder', () => {
    expect(() => openDatabase(folder.path, { mode: 'write', busyTimeoutMs: 0 })).toThrow(
      expect.objectContaining({ code: 'FILE_NOT_READABLE' }),
    );
  });

  function fileErrorOf(act: () => unknown): unknown {
    try {
      act();
      return null;
    } catch (error) {
      return fileError(error, 'x.db');
    }
  }
});
