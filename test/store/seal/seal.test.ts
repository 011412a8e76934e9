import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/store/driver.ts';
import { advanceCursor } from '../../../src/store/export-cursor.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { checkSeal, isSealOutdated } from '../../../src/store/seal/check-seal.ts';
import { sealFile } from '../../../src/store/seal/seal-file.ts';
import { StoreWriter } from '../../../src/store/writer.ts';
import {
  endedRecording,
  flipByte,
  pageBytes,
  startedRecording,
} from '../../support/damaged-recording.ts';
import { fakeSample } from '../../support/fake-sample.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { ended } from '../../support/record-samples.ts';
import { syntheticFacts } from '../../support/synthetic-session.ts';

let folder: ReturnType<typeof temporaryFolder>;
let sealed: string;
let file: string;
let pageCount: number;

beforeAll(() => {
  folder = temporaryFolder();
  sealed = folder.file('sealed.db');
  file = folder.file('a.db');
  endedRecording(sealed, { tickCount: 130 });
  pageCount = Number(execFileSync('sqlite3', [sealed, 'PRAGMA page_count']));
});
beforeEach(() => fs.copyFileSync(sealed, file));
afterAll(() => folder[Symbol.dispose]());

const shell = (sql: string) => execFileSync('sqlite3', [file, sql]).toString();

describe('a sealed file', () => {
  test('is a database like any other, to SQLite of another build as well', () => {
    expect(shell('PRAGMA integrity_check; SELECT count(*) FROM tick')).toBe('ok\n130\n');
    using recording = openRecording(file);
    expect(recording.tickCount()).toBe(130);
  });

  test('is longer by 8 bytes a page and 64', () => {
    expect(fs.statSync(file).size).toBe(pageCount * (pageBytes + 8) + 64);
    expect(checkSeal(file)).toEqual({ state: 'intact', pageCount });
  });

  test('is the same when it is sealed again', () => {
    sealFile(file);
    expect(fs.readFileSync(file).equals(fs.readFileSync(sealed))).toBe(true);
  });

  test('shows any byte that was changed, and in which page', () => {
    const size = fs.statSync(file).size;
    const place = fc.integer({ min: 0, max: size - 1 });
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 255 }), (offset, mask) => {
        flipByte(file, offset, mask);
        const check = checkSeal(file);
        flipByte(file, offset, mask);
        const page = Math.floor(offset / pageBytes) + 1;
        expect(check).toMatchObject({
          state: 'damaged',
          damagedPages: page <= pageCount ? [page] : [],
        });
      }),
      { numRuns: 60 },
    );
  });

  // The counters of the header say whether a program wrote to the file since.
  test.each([...Array(100).keys()])('shows byte %i of the header when it was changed', (offset) => {
    flipByte(file, offset);
    expect(checkSeal(file)).toMatchObject({ state: 'damaged', damagedPages: [1] });
  });

  test('shows that it was cut, unless all of its pages are there', () => {
    for (const bytes of [1, 63, 64, 65, 8 * pageCount]) {
      fs.copyFileSync(sealed, file);
      fs.truncateSync(file, fs.statSync(file).size - bytes);
      expect(checkSeal(file)).toMatchObject({ state: 'damaged' });
    }
    fs.truncateSync(file, pageCount * pageBytes);
    expect(checkSeal(file)).toEqual({ state: 'none' });
  });

  test('shows bytes that were put into it', () => {
    const bytes = fs.readFileSync(sealed);
    const half = Math.floor(bytes.length / 2);
    fs.writeFileSync(
      file,
      Buffer.concat([bytes.subarray(0, half), Buffer.alloc(7), bytes.subarray(half)]),
    );
    expect(checkSeal(file)).toMatchObject({ state: 'damaged' });
  });
});

describe('a program that writes to a sealed file', () => {
  test('makes the seal outdated, which is no damage', () => {
    expect(isSealOutdated(file)).toBe(false);
    advanceCursor(file, 'otlp', { sequence: 3, timeUnixMs: null });
    expect(isSealOutdated(file)).toBe(true);
    const check = checkSeal(file);
    expect(check).toMatchObject({ state: 'outdated' });
    expect(shell('PRAGMA integrity_check')).toBe('ok\n');
  });

  test('may make it longer than its checksums', () => {
    shell('CREATE TABLE more (x); INSERT INTO more VALUES (zeroblob(100000))');
    expect(checkSeal(file)).toMatchObject({ state: expect.stringMatching('none|outdated') });
    expect(shell('PRAGMA integrity_check')).toBe('ok\n');
    expect(sealFile(file)).toBe(true);
    expect(checkSeal(file)).toMatchObject({ state: 'intact' });
  });

  test('may be a recorder that goes on, which seals it again', () => {
    const writer = StoreWriter.open(file, syntheticFacts());
    writer.writeSample(fakeSample({ second: 5000, sequence: 1 }), []);
    writer.close(ended);
    expect(checkSeal(file)).toMatchObject({ state: 'intact' });
    expect(shell('PRAGMA integrity_check; SELECT count(*) FROM tick')).toBe('ok\n131\n');
  });
});

describe('sealing', () => {
  test('is left out while the file has its log', () => {
    const live = folder.file('live.db');
    const writer = startedRecording(live, { tickCount: 3 });
    expect(sealFile(live)).toBe(false);
    writer.close(ended);
    expect(checkSeal(live)).toMatchObject({ state: 'intact' });
  });

  test('is refused while somebody writes to it', () => {
    const other = openDatabase(file, { mode: 'write', busyTimeoutMs: 0 });
    other.exec('BEGIN IMMEDIATE');
    expect(() => sealFile(file)).toThrow(expect.objectContaining({ code: 'STORE_BUSY' }));
    other.close();
    expect(checkSeal(file)).toMatchObject({ state: 'intact' });
  });
});
