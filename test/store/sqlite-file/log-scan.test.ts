import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/driver.ts';
import { scanLog } from '../../../src/store/sqlite-file/log-scan.ts';
import { flipByte, overwrite } from '../../support/damaged-recording.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

const pageBytes = 4096;
// sqlite.org/fileformat2.html, "The Write-Ahead Log".
const headBytes = 32;
const frameBytes = 24 + pageBytes;

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
let log: string;
let live: Database;
beforeEach(() => {
  folder = temporaryFolder();
  file = folder.file('a.db');
  log = `${file}-wal`;
  live = openDatabase(folder.file('live.db'), { mode: 'create', busyTimeoutMs: 1000 });
  live.pragma('journal_mode = WAL');
  live.pragma('wal_autocheckpoint = 0');
  live.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b)');
  live.pragma('wal_checkpoint(TRUNCATE)');
});
afterEach(() => {
  live.close();
  folder[Symbol.dispose]();
});

const insert = (count: number) => {
  const statement = live.prepare('INSERT INTO t (b) VALUES (zeroblob(3000))');
  for (let row = 0; row < count; row++) statement.run();
};

/** Copies what is on the disk, as a killed writer leaves it. */
function pull(): void {
  for (const part of ['', '-wal']) fs.copyFileSync(folder.file(`live.db${part}`), file + part);
}

const scan = () => scanLog(file, pageBytes);
const frames = () => (fs.statSync(log).size - headBytes) / frameBytes;

/** How many rows SQLite finds, which stops at the first frame that is damaged. */
function rowsOfSqlite(): number {
  for (const part of ['', '-wal']) fs.copyFileSync(file + part, folder.file(`copy.db${part}`));
  const db = openDatabase(folder.file('copy.db'), { mode: 'create', busyTimeoutMs: 1000 });
  const count = db.prepare('SELECT count(*) FROM t').pluck().get() as number;
  db.close();
  return count;
}

test('no log, and one that is empty', () => {
  expect(scan()).toBeNull();
  fs.writeFileSync(log, '');
  expect(scan()).toMatchObject({ state: 'whole', sizeBytes: 0, pageCount: null });
});

describe('a log that was not damaged', () => {
  test('is whole, and has the newest content of every page that changed', () => {
    insert(20);
    pull();
    const found = scan();
    expect(found).toMatchObject({
      state: 'whole',
      pageCount: live.pragma('page_count', { simple: true }),
    });
    expect(found?.contents.size).toBeGreaterThan(20);
    expect(rowsOfSqlite()).toBe(20);
  });

  test('is whole also where an earlier round is behind it', () => {
    insert(30);
    live.pragma('wal_checkpoint(RESTART)');
    insert(3);
    pull();
    expect(frames()).toBeGreaterThan(30);
    const found = scan();
    expect(found?.state).toBe('whole');
    expect(found?.contents.size).toBeLessThan(10);
    expect(rowsOfSqlite()).toBe(33);
  });

  test('is unfinished when its last transaction has no end', () => {
    insert(5);
    live.pragma('cache_size = 2');
    live.exec('BEGIN');
    insert(40);
    pull();
    live.exec('ROLLBACK');
    expect(scan()?.state).toBe('unfinished');
    expect(rowsOfSqlite()).toBe(5);
  });
});

describe('a log that was cut', () => {
  test('is unfinished, unless it was cut where a transaction ends', () => {
    insert(12);
    pull();
    const whole = fs.readFileSync(log);
    const states = new Map<string, number>();
    for (let size = whole.length - 1; size > headBytes; size -= 1013) {
      fs.writeFileSync(log, whole.subarray(0, size));
      const state = scan()?.state ?? 'none';
      states.set(state, (states.get(state) ?? 0) + 1);
    }
    expect([...states.keys()]).toEqual(['unfinished']);
    fs.writeFileSync(log, whole.subarray(0, 20));
    expect(scan()?.state).toBe('damaged');
  });
});

describe('a log with a byte that was changed', () => {
  test('is damaged or unfinished, wherever that is', () => {
    insert(12);
    pull();
    const size = fs.statSync(log).size;
    const ofHeads = Array.from({ length: 24 }, (_, at) => headBytes + 3 * frameBytes + at);
    const everywhere = Array.from({ length: 60 }, (_, at) => Math.floor((at * size) / 60));
    for (const offset of [...Array(headBytes).keys(), ...ofHeads, ...everywhere]) {
      flipByte(log, offset);
      expect(scan()?.state, `byte ${offset}`).toMatch(/damaged|unfinished/);
      flipByte(log, offset);
    }
    expect(scan()?.state).toBe('whole');
  });

  test('keeps what comes behind, which SQLite does not come to', () => {
    insert(40);
    pull();
    const whole = scan();
    flipByte(log, headBytes + 5 * frameBytes + 24 + 100);
    const found = scan();
    expect(found?.state).toBe('damaged');
    expect(found?.pageCount).toBe(whole?.pageCount);
    expect((found?.contents.size ?? 0) + (found?.stalePages.size ?? 0)).toBe(whole?.contents.size);
    expect(found?.stalePages.size).toBeLessThanOrEqual(1);
    expect(rowsOfSqlite()).toBeLessThan(10);
  });

  test('of which a stretch is zero loses no more than the frames that it touches, and the next', () => {
    insert(40);
    pull();
    const whole = scan();
    overwrite(log, headBytes + 20 * frameBytes - 100, Buffer.alloc(frameBytes + 200));
    const found = scan();
    expect(found?.state).toBe('damaged');
    expect(found?.contents.size).toBeGreaterThanOrEqual((whole?.contents.size ?? 0) - 4);
  });
});
