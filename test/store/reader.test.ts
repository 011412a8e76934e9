import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HeadroomError } from '../../src/model/errors.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { asNobody } from '../support/as-nobody.ts';
import { caseBytes } from '../support/cases.ts';
import { fakeOomKill, fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, recordSamples, running } from '../support/record-samples.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';
import { mountTmpfs } from '../support/tmpfs.ts';

/** A writer with so many samples in its file; it stays open. */
function liveRecording(file: string, tickCount: number): StoreWriter {
  const writer = StoreWriter.open(file, syntheticFacts());
  for (const sample of syntheticSamples({ tickCount, processCount: 5 })) {
    writer.writeSample(sample, []);
  }
  return writer;
}

function refusal(file: string): HeadroomError {
  try {
    openRecording(file).close();
  } catch (error) {
    if (error instanceof HeadroomError) return error;
    throw error;
  }
  throw new Error('it was opened');
}

describe('a file that is no recording', () => {
  test.each([
    [
      '092-sqlite-not-a-database/html.db',
      'FILE_NOT_A_DATABASE',
      'not a database (looks like HTML)',
    ],
    ['092-sqlite-not-a-database/empty.db', 'FILE_EMPTY', 'the file is empty'],
    ['092-sqlite-not-a-database/header.db', 'FILE_CORRUPT', ''],
    ['086-sqlite-copied-without-wal/pulled.db', 'FILE_NOT_A_RECORDING', 'another program'],
  ])('%s is %s, and is not touched', (name, code, message) => {
    using folder = temporaryFolder();
    writeFileSync(folder.file('pulled.db'), caseBytes(name));
    const error = refusal(folder.file('pulled.db'));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(error.message).toContain(folder.file('pulled.db'));
    expect(readFileSync(folder.file('pulled.db'))).toEqual(caseBytes(name));
    expect(readdirSync(folder.path)).toEqual(['pulled.db']);
  });

  test('is said not to be there, or to be a folder', () => {
    using folder = temporaryFolder();
    expect(refusal(folder.file('a.db')).code).toBe('FILE_NOT_FOUND');
    expect(refusal(folder.path).code).toBe('FILE_NOT_READABLE');
  });

  test('may not be readable', () => {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o755);
    writeFileSync(folder.file('a.db'), 'x');
    chmodSync(folder.file('a.db'), 0);
    const error = asNobody(() => refusal(folder.file('a.db')));
    expect(error).toMatchObject({ code: 'FILE_NOT_READABLE' });
    expect(error.message).toContain('EACCES');
  });

  test('may be one of a later version', () => {
    using folder = temporaryFolder();
    liveRecording(folder.file('a.db'), 1).close(ended);
    const db = openDatabase(folder.file('a.db'), { mode: 'write', busyTimeoutMs: 0 });
    db.pragma('user_version = 4');
    db.close();
    expect(refusal(folder.file('a.db')).code).toBe('FILE_TOO_NEW');
  });
});

describe('a damaged recording', () => {
  // Where the damage is not seen at opening, it must be seen as FILE_CORRUPT when it is met.
  const readAll = (file: string) => {
    using recording = openRecording(file);
    for (const series of recording.series()) recording.distribution(series);
    return [
      [recording.facts, recording.tickCount(), recording.firstTick(), recording.lastTick()],
      [...recording.ticks()],
      [...recording.processSamples()],
      recording.events(),
      recording.processes(),
    ];
  };

  test.each([0.1, 0.3, 0.5, 0.8, 0.99])('cut to %d of its length', (part) => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    liveRecording(file, 200).close(ended);
    truncateSync(file, Math.floor(readFileSync(file).length * part));
    expect(() => readAll(file)).toThrow(expect.objectContaining({ code: 'FILE_CORRUPT' }));
  });

  test('with any page overwritten is read, or is FILE_CORRUPT', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    liveRecording(file, 200).close(ended);
    const whole = readFileSync(file);
    for (let page = 1; page + 1 < whole.length / 4096; page++) {
      const bytes = Buffer.from(whole);
      bytes.fill(0xa5, page * 4096, (page + 1) * 4096);
      writeFileSync(file, bytes);
      try {
        readAll(file);
      } catch (error) {
        expect(error).toMatchObject({ code: 'FILE_CORRUPT' });
      }
    }
  });

  // Whatever a byte becomes: the file is read, or one of the errors that name the file is thrown.
  test.each([1, 2, 3, 4])('with bytes changed in a hundred places, series %i', (series) => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const writer = liveRecording(file, 70);
    const kill = fakeOomKill({ pid: 9, comm: 'chromium', timeUnixMs: startUnixMs });
    const [last] = [...syntheticSamples({ tickCount: 71, processCount: 5 })].slice(-1);
    if (last !== undefined) writer.writeSample(last, [kill]);
    writer.close(ended);
    const whole = readFileSync(file);
    // The places and values of a linear congruential generator, so that a failure comes again.
    let state = series;
    const next = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * below);
    };
    for (let place = 0; place < 100; place++) {
      const bytes = Buffer.from(whole);
      const at = place < 10 ? next(200) : next(bytes.length);
      for (let byte = at; byte < Math.min(bytes.length, at + series); byte++) {
        bytes[byte] = next(256);
      }
      writeFileSync(file, bytes);
      try {
        readAll(file);
      } catch (error) {
        expect(error, `place ${at}`).toMatchObject({ code: expect.stringMatching(/^FILE_/) });
        expect(String(error)).toContain(file);
      }
    }
  });

  test.each([
    ['DROP TABLE tick', 'no such table: tick'],
    ['DROP TABLE session', 'no such table: session'],
    ['DROP TABLE rollup', 'no such table: rollup'],
    ['DROP TABLE process_text', 'no such table: process_text'],
    ['ALTER TABLE process RENAME COLUMN comm TO name', 'no such column'],
    ["UPDATE event SET detail = 'null'", 'an event has no details'],
    ["UPDATE event SET detail = '[]'", 'an event (oom_kill) has a wrong kernelMs (missing)'],
    ["UPDATE event SET detail = '{'", 'JSON'],
    ["UPDATE event SET detail = json_set(detail, '$.pid', 'x')", 'has a wrong pid ("x")'],
    ["UPDATE event SET detail = json_set(detail, '$.scope', 'x')", 'has a wrong scope ("x")'],
    ["UPDATE event SET kind = 'x'", 'an event has an unknown kind (x)'],
    ["UPDATE session SET labels = '[1]'", 'the session has wrong labels'],
    ["UPDATE session SET end_reason = 'x'", 'the session has a wrong end_reason ("x")'],
    ["UPDATE process SET role = 'x'", 'process 1 has a wrong role ("x")'],
    ["UPDATE rollup SET sketch = x'00'", 'a stored distribution (sketch) cannot be read'],
    [
      'UPDATE session SET rolled_up_sequence = 0; UPDATE tick_setting SET interval_ms = -5',
      'weight must be an integer of 1 or more',
    ],
  ])('by hand, %s, is FILE_CORRUPT', (sql, message) => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const kill = fakeOomKill({ pid: 9, comm: 'chromium', timeUnixMs: startUnixMs });
    const samples = [...syntheticSamples({ tickCount: 70, processCount: 5 })];
    recordSamples(file, samples, { events: [kill] });
    const views = ['PRAGMA writable_schema=ON', "DELETE FROM sqlite_schema WHERE type='view'"];
    execFileSync('sqlite3', [file, views.join(';')]);
    execFileSync('sqlite3', [file, sql]);
    const read = () => {
      using recording = openRecording(file);
      expect(recording.facts).toBeDefined();
      return readAll(file);
    };
    expect(read).toThrow(expect.objectContaining({ code: 'FILE_CORRUPT' }));
    expect(read).toThrow(file);
    expect(read).toThrow(message);
  });

  test('without its session', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    liveRecording(file, 2).close(ended);
    execFileSync('sqlite3', [file, 'DELETE FROM session']);
    using recording = openRecording(file);
    expect(() => recording.facts).toThrow(expect.objectContaining({ code: 'FILE_CORRUPT' }));
  });
});

describe('a live recording', () => {
  test('is read while it is written', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const writer = liveRecording(file, 3);
    const names = readdirSync(folder.path).toSorted();
    using recording = openRecording(file);
    expect(recording.isLive).toBe(true);
    expect(recording.facts).toMatchObject({ endedUnixMs: null, endReason: null });
    expect(recording.tickCount()).toBe(3);
    writer.writeSample(fakeSample({ second: 100 }), []);
    expect(recording.tickCount()).toBe(4);
    expect(recording.lastTick()?.sequence).toBe(101);
    expect(readdirSync(folder.path).toSorted()).toEqual(names);
    // A reader that stops in the middle of the ticks holds nothing that the writer needs.
    for (const tick of recording.ticks()) if (tick.sequence === 2) break;
    expect(writer.close(ended)).toEqual({ outcome: 'written' });
    expect(recording.facts).toMatchObject(ended);
    expect(recording.isLive).toBe(false);
  });

  test('keeps its log when it is read here and by another program', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const writer = liveRecording(file, 3);
    openRecording(file).close();
    // The last connection that closes a file empties and removes its log. This shell is not the
    // last, but would be taken for it if the writer had lost its locks.
    execFileSync('sqlite3', [file, 'SELECT count(*) FROM tick']);
    expect(readdirSync(folder.path)).toContain('a.db-wal');
    writer.writeSample(fakeSample({ second: 100 }), []);
    expect(execFileSync('sqlite3', [file, 'SELECT count(*) FROM tick']).toString()).toBe('4\n');
    writer.close(ended);
  });

  test('of another user is read where that is allowed', () => {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o755);
    const writer = liveRecording(folder.file('a.db'), 3);
    asNobody(() => {
      using recording = openRecording(folder.file('a.db'));
      expect(recording.tickCount()).toBe(3);
      expect(recording.isLive).toBe(true);
    });
    writer.close(ended);
  });

  test('has lost its recorder when that is dead', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const writer = liveRecording(file, 3);
    using recording = openRecording(file, { isAlive: () => false });
    expect(recording.isLive).toBe(false);
    expect(recording.facts).toMatchObject({ endedUnixMs: null, endReason: 'lost' });
    writer.close(ended);
  });

  test('copied without its log (case 086) has what was in the main file, and shows where it ends', () => {
    using folder = temporaryFolder();
    const writer = liveRecording(folder.file('a.db'), 100);
    mkdirSync(folder.file('pulled'));
    copyFileSync(folder.file('a.db'), folder.file('pulled/a.db'));
    writer.close(ended);
    using recording = openRecording(folder.file('pulled/a.db'));
    using whole = openRecording(folder.file('a.db'));
    expect(whole.tickCount()).toBe(100);
    expect(recording.tickCount()).toBeLessThan(100);
    expect(recording.lastTick()?.sequence ?? 0).toBe(recording.tickCount());
    expect(recording.isLive).toBe(false);
    expect(recording.facts.endReason).toBe('lost');
    expect(readdirSync(folder.file('pulled'))).toEqual(['a.db']);
  });

  test('copied without its log before anything left that has no tick, and its session', () => {
    using folder = temporaryFolder();
    const writer = liveRecording(folder.file('a.db'), 3);
    mkdirSync(folder.file('pulled'));
    const pulled = folder.file('pulled/a.db');
    copyFileSync(folder.file('a.db'), pulled);
    writer.close(ended);
    // SQLite's own mark of a file with a log (fileformat2.html, "File format version numbers").
    expect([...readFileSync(pulled).subarray(18, 20)]).toEqual([2, 2]);
    using recording = openRecording(pulled);
    expect(recording.facts).toEqual({ ...syntheticFacts(), endReason: 'lost' });
    expect([recording.tickCount(), recording.firstTick(), recording.lastTick()]).toEqual([
      0,
      null,
      null,
    ]);
    expect([recording.processes(), recording.events(), recording.series()]).toEqual([[], [], []]);
  });

  test('copied with its log is whole, and stays two files', () => {
    using folder = temporaryFolder();
    const writer = liveRecording(folder.file('a.db'), 100);
    mkdirSync(folder.file('pulled'));
    mkdirSync(folder.file('tmp'));
    for (const part of ['a.db', 'a.db-wal']) {
      copyFileSync(folder.file(part), folder.file(`pulled/${part}`));
    }
    for (const [name, isLive] of [
      ['a.db', true],
      ['pulled/a.db', false],
    ] as const) {
      using one = openRecording(folder.file(name));
      expect([one.isLive, one.facts.endReason]).toEqual([isLive, isLive ? null : 'lost']);
    }
    writer.close(ended);
    const recording = openRecording(folder.file('pulled/a.db'), {
      temporaryFolder: folder.file('tmp'),
      isAlive: () => false,
    });
    expect(recording.tickCount()).toBe(100);
    expect(readdirSync(folder.file('tmp'))).toHaveLength(1);
    expect(() =>
      openRecording(folder.file('pulled/a.db'), { temporaryFolder: folder.file('missing') }),
    ).toThrow(expect.objectContaining({ code: 'FILE_NOT_READABLE' }));
    recording.close();
    expect(readdirSync(folder.file('tmp'))).toEqual([]);
    expect(readdirSync(folder.file('pulled')).toSorted()).toEqual(['a.db', 'a.db-wal']);
  });

  test('on a read-only disk, closed or killed', ({ skip }) => {
    using folder = temporaryFolder();
    const killed = liveRecording(folder.file('killed.db'), 100);
    liveRecording(folder.file('closed.db'), 100).close(ended);
    const disk = folder.file('disk');
    using mounted = mountTmpfs(disk);
    if (mounted === null) return skip();
    try {
      for (const part of ['closed.db', 'killed.db', 'killed.db-wal', 'killed.db-shm']) {
        cpSync(folder.file(part), `${disk}/${part}`);
      }
      mounted.makeReadOnly();
      for (const name of ['closed.db', 'killed.db']) {
        using recording = openRecording(`${disk}/${name}`, { isAlive: () => false });
        expect(recording.tickCount()).toBe(100);
      }
      expect(() => StoreWriter.open(`${disk}/new.db`, running)).toThrow(
        expect.objectContaining({ code: 'FILE_NOT_WRITABLE' }),
      );
      expect(() => StoreWriter.open(`${disk}/closed.db`, syntheticFacts())).toThrow(
        expect.objectContaining({ code: 'FILE_NOT_WRITABLE' }),
      );
    } finally {
      killed.close(ended);
    }
  });
});

describe('ranges', () => {
  test('have both their ends, and may be open', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const writer = StoreWriter.open(file, running);
    for (let second = 0; second < 200; second++) {
      const process = fakeProcess({ pid: 7, role: 'browser', rssBytes: second * mib });
      writer.writeSample(fakeSample({ second, processes: [process] }), []);
    }
    writer.close(ended);
    using recording = openRecording(file);
    const at = (second: number) => startUnixMs + second * 1000;
    const seconds = (range: { fromUnixMs?: number; toUnixMs?: number }) => {
      const ticks = [...recording.ticks(range)].map(({ timeUnixMs }) => timeUnixMs);
      const rows = [...recording.processSamples(range)].map(({ timeUnixMs }) => timeUnixMs);
      expect(rows).toEqual(ticks);
      expect(recording.tickCount(range)).toBe(ticks.length);
      return ticks.map((timeUnixMs) => (timeUnixMs - startUnixMs) / 1000);
    };
    expect(seconds({ fromUnixMs: at(58), toUnixMs: at(61) })).toEqual([58, 59, 60, 61]);
    expect(seconds({ fromUnixMs: at(198) })).toEqual([198, 199]);
    expect(seconds({ toUnixMs: at(1) + 999 })).toEqual([0, 1]);
    expect(seconds({ fromUnixMs: at(300) })).toEqual([]);
    expect(seconds({})).toHaveLength(200);
    expect([...recording.processSamples({}, 2)]).toEqual([]);
    expect([...recording.processSamples({ fromUnixMs: at(199) }, 1)]).toHaveLength(1);
  });

  test('of many pages are whole', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const samples = [...syntheticSamples({ tickCount: 2500, processCount: 3 })];
    const writer = StoreWriter.open(file, syntheticFacts());
    for (const sample of samples) writer.writeSample(sample, []);
    writer.close(ended);
    using recording = openRecording(file);
    expect([...recording.ticks()].map(({ sequence }) => sequence)).toEqual(
      samples.map(({ sequence }) => sequence),
    );
    const pssReadings = [...recording.processSamples()].filter(({ pssBytes }) => pssBytes !== null);
    expect(pssReadings).toHaveLength(2500);
  });
});
