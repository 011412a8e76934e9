import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HeadroomError } from '../../../src/model/errors.ts';
import type { Verification } from '../../../src/store/verify/verification.ts';
import { verifyFile } from '../../../src/store/verify/verify-file.ts';
import { caseBytes } from '../../support/cases.ts';
import {
  endedRecording,
  flipByte,
  killedRecording,
  overwrite,
  pageBytes,
  startedRecording,
  unseal,
} from '../../support/damaged-recording.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { ended } from '../../support/record-samples.ts';
import { syntheticStartUnixMs } from '../../support/synthetic-session.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = folder.file('a.db');
});
afterEach(() => folder[Symbol.dispose]());

const dead = { isAlive: () => false };
const codes = (verification: Verification) => verification.problems.map(({ code }) => code);

function problemsOf(path = file): string[] {
  const verification = verifyFile(path, dead);
  expect(verification.isWhole).toBe(verification.problems.length === 0);
  return codes(verification);
}

describe('a whole recording', () => {
  test('that is sealed was checked byte by byte, and what is in it is told', () => {
    endedRecording(file, { tickCount: 130 });
    expect(verifyFile(file)).toMatchObject({
      isWhole: true,
      isLive: false,
      checked: 'every_byte',
      problems: [],
      remarks: [],
      contents: {
        sampleCount: 130,
        firstUnixMs: expect.closeTo(syntheticStartUnixMs, -2),
        lastUnixMs: expect.closeTo(syntheticStartUnixMs + 129_000, -2),
        eventCount: 1,
        gaps: [],
        facts: { endReason: 'duration' },
      },
    });
  });

  test('without checksums is whole as far as can be told', () => {
    endedRecording(file, { tickCount: 70 });
    unseal(file);
    expect(verifyFile(file)).toMatchObject({
      isWhole: true,
      checked: 'structure',
      remarks: [expect.stringContaining('no checksums')],
    });
  });

  test('may be written at this moment', () => {
    const writer = startedRecording(file, { tickCount: 70 });
    const names = fs.readdirSync(folder.path).toSorted();
    expect(verifyFile(file)).toMatchObject({
      isWhole: true,
      isLive: true,
      contents: { sampleCount: 70 },
    });
    expect(fs.readdirSync(folder.path).toSorted()).toEqual(names);
    expect(writer.close(ended)).toEqual({ outcome: 'written' });
  });

  test('may be what a killed recorder left, with its log', () => {
    killedRecording(file, { tickCount: 300 });
    const verification = verifyFile(file, dead);
    expect(verification).toMatchObject({ isWhole: true, contents: { sampleCount: 300 } });
    expect(verification.remarks.join()).toContain('it has no end');
    expect(fs.readdirSync(folder.path).toSorted()).toEqual(['a.db', 'a.db-wal']);
  });

  test('may be in a folder that nobody may write to', () => {
    killedRecording(file, { tickCount: 10 });
    fs.chmodSync(folder.path, 0o555);
    expect(problemsOf()).toEqual([]);
    fs.chmodSync(folder.path, 0o755);
  });
});

describe('a sealed recording of which a byte was changed is never whole', () => {
  test('wherever that is', () => {
    endedRecording(file, { tickCount: 70 });
    const size = fs.statSync(file).size;
    const anywhere = fc.oneof(
      fc.integer({ min: 0, max: 99 }),
      fc.integer({ min: size - 700, max: size - 1 }),
      fc.integer({ min: 0, max: size - 1 }),
    );
    fc.assert(
      fc.property(anywhere, fc.integer({ min: 1, max: 255 }), (offset, mask) => {
        flipByte(file, offset, mask);
        const verification = verifyFile(file, dead);
        flipByte(file, offset, mask);
        expect(verification.isWhole).toBe(false);
        expect(codes(verification)[0]).toBe('bytes_changed');
      }),
      { numRuns: 25 },
    );
    expect(problemsOf()).toEqual([]);
  });

  // Half of the changed bytes are none of SQLite's business (issue 4: quick_check found 13 of 30).
  test('also where SQLite finds nothing', () => {
    endedRecording(file, { tickCount: 70 });
    const size = fs.statSync(file).size;
    const offsets = Array.from(
      { length: 30 },
      (_, at) => 4096 + Math.floor((at * (size - 4096)) / 30),
    );
    const isOkToSqlite = (offset: number) => {
      flipByte(file, offset);
      expect(codes(verifyFile(file, dead))).toContain('bytes_changed');
      const said = spawnSync('sqlite3', [file, 'PRAGMA quick_check']).stdout.toString();
      flipByte(file, offset);
      return said === 'ok\n';
    };
    expect(offsets.filter(isOkToSqlite).length).toBeGreaterThan(5);
  });
});

describe('a damaged recording without checksums', () => {
  beforeEach(() => {
    endedRecording(file, { tickCount: 200 });
    unseal(file);
  });

  test.each([0.99, 0.5, 0.1, 0.001])('cut to %d of its length', (part) => {
    fs.truncateSync(file, Math.floor(fs.statSync(file).size * part));
    expect(problemsOf()).toEqual(['contents']);
  });

  test('with any page but a free one zeroed', () => {
    const whole = fs.readFileSync(file);
    for (let page = 2; page <= whole.length / pageBytes; page += 3) {
      overwrite(file, (page - 1) * pageBytes, Buffer.alloc(pageBytes));
      expect(problemsOf(), `page ${page}`).not.toEqual([]);
      fs.writeFileSync(file, whole);
    }
  });

  test('with an event that says nothing', () => {
    execFileSync('sqlite3', [file, "UPDATE event SET detail = '{}'"]);
    expect(problemsOf()).toEqual(['contents']);
  });

  test('with samples that are not there: only where no gap accounts for them', () => {
    execFileSync('sqlite3', [file, 'DELETE FROM tick WHERE sequence BETWEEN 20 AND 29']);
    const [problem] = verifyFile(file, dead).problems;
    expect(problem).toMatchObject({
      code: 'samples_missing',
      message: expect.stringContaining('lacks 10 samples'),
    });
    const [fromUnixMs, toUnixMs] = [18, 29].map((at) => syntheticStartUnixMs + at * 1000);
    const gap = {
      gap: 'lost',
      fromUnixMs,
      toUnixMs: (toUnixMs ?? 0) + 999,
      wallMs: 1,
      monotonicMs: 1,
    };
    execFileSync('sqlite3', [
      file,
      `INSERT INTO event SELECT max(event) + 1, 30, ${toUnixMs}, ${toUnixMs}, 'gap', NULL, '${JSON.stringify(gap)}' FROM event`,
    ]);
    expect(problemsOf()).toEqual([]);
  });

  test('with any bytes anywhere is told about, or is one of the errors that name the file', () => {
    const whole = fs.readFileSync(file);
    const damage = fc.uint8Array({ minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 400 }), damage, (offset, bytes) => {
        overwrite(file, offset, bytes);
        try {
          verifyFile(file, dead);
        } catch (error) {
          expect(error).toBeInstanceOf(HeadroomError);
          expect(String(error)).toContain(file);
        }
        overwrite(file, offset, whole.subarray(offset, offset + bytes.length));
      }),
      { numRuns: 25 },
    );
  });
});

describe('the log of a recording whose recorder was killed', () => {
  beforeEach(() => killedRecording(file, { tickCount: 300 }));
  const log = () => `${file}-wal`;

  test('was left behind (case 086)', () => {
    fs.rmSync(log());
    const verification = verifyFile(file, dead);
    expect(codes(verification)).toEqual(['log_missing']);
    expect(verification.contents?.sampleCount).toBeLessThan(300);
  });

  test('was emptied', () => {
    fs.truncateSync(log(), 0);
    expect(problemsOf()).toEqual(['log_empty']);
  });

  test('was cut', () => {
    fs.truncateSync(log(), 100_000);
    expect(problemsOf()[0]).toBe('log_unfinished');
  });

  test('was changed', () => {
    flipByte(log(), 20_000);
    expect(problemsOf()[0]).toBe('log_damaged');
  });

  test('is not missed where the recording was ended', () => {
    fs.rmSync(log());
    execFileSync('sqlite3', [file, "UPDATE session SET ended_unix_ms = 1, end_reason = 'signal'"]);
    expect(problemsOf()).toEqual([]);
  });
});

test.each([
  ['092-sqlite-not-a-database/html.db', 'FILE_NOT_A_DATABASE'],
  ['092-sqlite-not-a-database/empty.db', 'FILE_EMPTY'],
  ['086-sqlite-copied-without-wal/pulled.db', 'FILE_NOT_A_RECORDING'],
])('%s is no recording: %s', (name, code) => {
  fs.writeFileSync(file, caseBytes(name));
  expect(() => verifyFile(file)).toThrow(expect.objectContaining({ code }));
  expect(fs.readFileSync(file)).toEqual(caseBytes(name));
});

test('a file that is nothing but a header is cut off (case 092)', () => {
  fs.writeFileSync(file, caseBytes('092-sqlite-not-a-database/header.db'));
  expect(problemsOf()).toContain('contents');
});

test('no file, and a folder', () => {
  expect(() => verifyFile(file)).toThrow(expect.objectContaining({ code: 'FILE_NOT_FOUND' }));
  expect(() => verifyFile(folder.path)).toThrow(
    expect.objectContaining({ code: 'FILE_NOT_READABLE' }),
  );
});
