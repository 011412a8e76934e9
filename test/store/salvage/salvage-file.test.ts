import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { analyse } from '../../../src/analysis/session-report.ts';
import type { Gap } from '../../../src/model/event.ts';
import { renderText } from '../../../src/report/text.ts';
import { openDatabase } from '../../../src/store/driver.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { type Salvage, salvageFile } from '../../../src/store/salvage/salvage-file.ts';
import { StoreWriter } from '../../../src/store/writer.ts';
import { caseBytes } from '../../support/cases.ts';
import {
  endedRecording,
  flipByte,
  killedRecording,
  overwrite,
  pageBytes,
  unseal,
} from '../../support/damaged-recording.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import {
  syntheticFacts,
  syntheticSamples,
  syntheticStartUnixMs,
} from '../../support/synthetic-session.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
let out: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = folder.file('a.db');
  fs.mkdirSync(folder.file('saved'));
  out = folder.file('saved/b.db');
});
afterEach(() => folder[Symbol.dispose]());

/** Salvages, and sees to it that the input stays as it is and that the output is one whole file. */
function salvage(): Salvage {
  const parts = ['', '-wal'].map((part) => file + part).filter((part) => fs.existsSync(part));
  const before = parts.map((part) => fs.readFileSync(part));
  const names = fs.readdirSync(folder.path);
  fs.rmSync(out, { force: true });
  const result = salvageFile(file, out, { newId: 'new', nowUnixMs: 0 });
  expect(fs.readdirSync(folder.path)).toEqual(names);
  expect(parts.every((part, at) => before[at]?.equals(fs.readFileSync(part)))).toBe(true);
  expect(fs.readdirSync(folder.file('saved'))).toEqual(['b.db']);
  expect(result.saved).toMatchObject({ isWhole: true, checked: 'every_byte' });
  return result;
}

const zeroPage = (page: number) => overwrite(file, (page - 1) * pageBytes, Buffer.alloc(pageBytes));
const askShell = (sql: string) => Number(execFileSync('sqlite3', [file, sql]).toString());
const pageCount = () => askShell('PRAGMA page_count');
const rootOf = (table: string) =>
  askShell(`SELECT rootpage FROM sqlite_schema WHERE name = '${table}'`);
const lossOf = (result: Salvage, name: string) =>
  result.tables.find((table) => table.name === name);

function sequences(path: string): number[] {
  using recording = openRecording(path);
  return [...recording.ticks()].map(({ sequence }) => sequence);
}

function allSequences(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

function lostGaps(path: string): Gap[] {
  using recording = openRecording(path);
  return recording
    .events()
    .filter((event) => event.kind === 'gap')
    .filter(({ gap }) => gap === 'lost');
}

describe('a recording with one page zeroed', () => {
  beforeEach(() => {
    endedRecording(file, { tickCount: 200 });
    unseal(file);
  });

  test('whichever it is: all of the rest is saved, and what is missing is a gap', () => {
    const whole = fs.readFileSync(file);
    const all = sequences(file);
    const pages = pageCount();
    let harmedSamples = 0;
    for (let page = 1; page <= pages; page += 2) {
      zeroPage(page);
      const { lostSamples } = salvage();
      const saved = new Set(sequences(out));
      const missing = all.filter((sequence) => !saved.has(sequence));
      // A page holds some 30 samples.
      expect(missing.length, `page ${page}`).toBeLessThan(60);
      expect(lostGaps(out), `page ${page}`).toHaveLength(missing.length > 0 ? 1 : 0);
      expect(lostSamples).toHaveLength(missing.length > 0 ? 1 : 0);
      if (missing.length > 0) harmedSamples++;
      fs.writeFileSync(file, whole);
    }
    expect(harmedSamples).toBeGreaterThan(1);
  });

  test('of rollups, or of the names of their series: percentiles are as before', () => {
    const percentiles = (path: string) => {
      using recording = openRecording(path);
      const found = recording.distribution({ scope: 'session', metric: 'working_set' });
      return [found?.count, ...[0.5, 0.95, 0.99].map((q) => found?.quantile(q))];
    };
    const before = percentiles(file);
    const whole = fs.readFileSync(file);
    for (const table of ['rollup', 'series']) {
      zeroPage(rootOf(table));
      const result = salvage();
      expect(lossOf(result, table)?.lostPages).toBe(1);
      expect(percentiles(out)).toEqual(before);
      fs.writeFileSync(file, whole);
    }
  });

  test('of the session: samples are saved, and what is not known is said to be unknown', () => {
    zeroPage(rootOf('session'));
    expect(salvage().isSessionLost).toBe(true);
    using recording = openRecording(out);
    expect(recording.facts).toMatchObject({ id: 'new', labels: {}, intervalMs: 1000 });
    expect(recording.facts.machine).toMatchObject({
      kernel: 'unknown',
      hostName: 'unknown',
      cpuCount: null,
    });
    expect(recording.tickCount()).toBe(200);
  });

  test('of the session and the settings: its size is unknown, and no 0', () => {
    zeroPage(rootOf('session'));
    zeroPage(rootOf('tick_setting'));
    salvage();
    using recording = openRecording(out);
    expect(recording.facts.machine).toMatchObject({
      cpuCount: null,
      memoryTotalBytes: null,
      limitBytes: null,
    });
    const text = renderText(analyse(recording));
    expect(text).toContain('limit unknown');
    expect(text).toContain('unknown number of CPUs');
  });

  test('of the settings: samples are still read', () => {
    zeroPage(rootOf('tick_setting'));
    salvage();
    using recording = openRecording(out);
    expect(recording.tickCount()).toBe(200);
    expect(recording.firstTick()).toMatchObject({ cgroup: null, intervalMs: 1000 });
  });

  test('the first, with the list of the tables', () => {
    zeroPage(1);
    expect(salvage()).toMatchObject({ isSessionLost: false, lostSamples: [] });
    using recording = openRecording(out);
    expect(recording.facts.id).toBe(syntheticFacts().id);
    expect(recording.events().filter(({ kind }) => kind === 'oom_kill')).toHaveLength(2);
    expect(recording.events().filter(({ kind }) => kind === 'note')).toMatchObject([
      { code: 'salvaged', message: expect.stringContaining('saved from a damaged file') },
    ]);
  });
});

test('of an hour with three pages destroyed nearly all is saved', () => {
  endedRecording(file, { tickCount: 3600, processCount: 10 });
  const pages = pageCount();
  for (const part of [0.3, 0.55, 0.8]) zeroPage(Math.floor(pages * part));
  const { saved } = salvage();
  // The prototype with SQL alone saved 3591 of 3600 samples (issue 4); a page has about 30.
  expect(saved.contents?.sampleCount).toBeGreaterThanOrEqual(3600 - 3 * 35);
});

describe('a recording that was cut', () => {
  test.each([0.5, 0.6, 0.7, 0.9, 0.999])('to %d of its length', (part) => {
    const tickCount = 600;
    endedRecording(file, { tickCount });
    unseal(file);
    const times = new Map<number, number>();
    using whole = openRecording(file);
    for (const { sequence, timeUnixMs } of whole.ticks()) times.set(sequence, timeUnixMs);
    const pages = Math.floor(pageCount() * part);
    const tables = ['tick', 'process_row', 'process_pss_row', 'rollup', 'event'];
    const left = tables.map((table) =>
      askShell(`SELECT sum(ncell) FROM dbstat
        WHERE name = '${table}' AND pagetype = 'leaf' AND pageno <= ${pages}`),
    );
    fs.truncateSync(file, pages * pageBytes);
    const result = salvage();
    // All rows of all pages that are there, and no others.
    const saved = tables.map((table) => lossOf(result, table)?.savedRows);
    expect(saved).toEqual(left);
    const kept = sequences(out);
    expect(kept).toHaveLength(left[0] ?? 0);
    // The last sample is to the end of the session, which its row still tells.
    const endUnixMs = syntheticStartUnixMs + tickCount * 1000;
    const lost = [...kept, Number.POSITIVE_INFINITY].flatMap((sequence, at) => {
      const before = kept[at - 1] ?? 0;
      if (sequence === before + 1 || before === tickCount) return [];
      const isLast = !Number.isFinite(sequence);
      return {
        fromUnixMs: times.get(before) ?? syntheticStartUnixMs,
        toUnixMs: isLast ? endUnixMs : times.get(sequence),
        count: isLast ? null : sequence - before - 1,
      };
    });
    expect(result.lostSamples).toEqual(lost);
    expect(lostGaps(out)).toMatchObject(
      lost.map(({ fromUnixMs, toUnixMs }) => ({ fromUnixMs, toUnixMs })),
    );
  });

  test('so that no sample is left is refused', () => {
    endedRecording(file, { tickCount: 300 });
    fs.truncateSync(file, 3 * pageBytes);
    const nothing = expect.objectContaining({ code: 'NOTHING_TO_SAVE' });
    expect(() => salvageFile(file, out)).toThrow(nothing);
  });
});

describe('the log of a recording whose recorder was killed', () => {
  beforeEach(() => killedRecording(file, { tickCount: 300 }));
  const log = () => `${file}-wal`;

  test('was left behind: all that is in the main file is saved', () => {
    fs.rmSync(log());
    const inFile = sequences(file);
    expect(inFile.length).toBeGreaterThan(0);
    const { lostSamples, saved } = salvage();
    expect(sequences(out)).toEqual(inFile);
    expect(lostSamples).toEqual([]);
    expect(saved.contents?.facts.endReason).toBeNull();
  });

  test('was cut: all whole samples are saved', () => {
    fs.truncateSync(log(), 100_000);
    const read = sequences(file);
    salvage();
    expect(sequences(out)).toEqual(read);
  });

  test('has a byte that was changed: what comes behind is saved, which SQLite does not read', () => {
    flipByte(log(), 20_000);
    expect(sequences(file).length).toBeLessThan(295);
    salvage();
    expect(sequences(out)).toEqual(allSequences(300));
  });
});

test('of a log that has all of the recording, with a changed byte in the middle, all is saved', () => {
  const live = `${file}.live`;
  const writer = StoreWriter.open(live, syntheticFacts());
  // As long as somebody reads one state of the file, nothing goes from the log into it.
  const reader = openDatabase(live, { mode: 'read', busyTimeoutMs: 0 });
  reader.exec('BEGIN');
  expect(reader.prepare('SELECT count(*) FROM tick').pluck().get()).toBe(0);
  for (const sample of syntheticSamples({ tickCount: 300, processCount: 20 })) {
    expect(writer.writeSample(sample, [])).toEqual({ outcome: 'written' });
  }
  for (const part of ['', '-wal']) fs.copyFileSync(live + part, file + part);
  reader.close();
  writer.close({ endedUnixMs: syntheticStartUnixMs, endReason: 'duration' });
  fs.rmSync(live);
  expect(sequences(file)).toEqual(allSequences(300));
  flipByte(`${file}-wal`, Math.floor(fs.statSync(`${file}-wal`).size / 2));
  expect(sequences(file).length).toBeLessThan(250);
  salvage();
  expect(sequences(out)).toEqual(allSequences(300));
});

test('a sealed one is saved without the page of which a byte was changed, also where SQLite sees nothing', () => {
  endedRecording(file, { tickCount: 200 });
  const page = askShell(
    "SELECT pageno FROM dbstat WHERE name = 'tick' AND pagetype = 'leaf' LIMIT 1 OFFSET 2",
  );
  // Rows fill a page from its end: the last byte is of the last figure of the first one.
  flipByte(file, page * pageBytes - 1, 1);
  expect(execFileSync('sqlite3', [file, 'PRAGMA quick_check']).toString()).toBe('ok\n');
  const result = salvage();
  expect(lossOf(result, 'tick')).toMatchObject({ lostPages: 1 });
  expect(result.lostSamples).toHaveLength(1);
  const [{ fromUnixMs, toUnixMs } = { fromUnixMs: 0, toUnixMs: 0 }] = lostGaps(out);
  expect(lossOf(result, 'tick')?.lostTimes).toEqual([{ fromUnixMs, toUnixMs: expect.any(Number) }]);
  // One interval more than there are samples missing.
  const count = result.lostSamples[0]?.count ?? 0;
  expect(Math.round((toUnixMs - fromUnixMs) / 1000)).toBe(count + 1);
  expect(count).toBe(200 - sequences(out).length);
});

test('one that lost every sample: a process that was living was last seen when it was first seen', () => {
  endedRecording(file, { tickCount: 200, processCount: 3 });
  unseal(file);
  execFileSync('sqlite3', [file, 'DELETE FROM tick']);
  expect(askShell('SELECT count(*) FROM process WHERE last_unix_ms IS NULL')).toBeGreaterThan(0);
  salvage();
  using recording = openRecording(out);
  const seen = recording.processes().filter(({ endedUnixMs }) => endedUnixMs === null);
  expect(seen.length).toBeGreaterThan(0);
  for (const { firstUnixMs, lastUnixMs } of seen) expect(lastUnixMs).toBe(firstUnixMs);
});

test('a recording of format 1', () => {
  fs.copyFileSync(new URL('../../fixtures/store/format-1.db', import.meta.url), file);
  const all = sequences(file);
  zeroPage(pageCount());
  salvage();
  expect(sequences(out).length).toBeGreaterThan(all.length - 40);
  expect(execFileSync('sqlite3', [out, 'PRAGMA user_version']).toString()).toBe('2\n');
});

describe('what is no recording is refused', () => {
  test.each([
    ['092-sqlite-not-a-database/html.db', 'FILE_NOT_A_DATABASE'],
    ['092-sqlite-not-a-database/empty.db', 'FILE_EMPTY'],
    ['092-sqlite-not-a-database/header.db', 'NOTHING_TO_SAVE'],
    ['086-sqlite-copied-without-wal/pulled.db', 'FILE_NOT_A_RECORDING'],
  ])('%s: %s', (name, code) => {
    fs.writeFileSync(file, caseBytes(name));
    expect(() => salvageFile(file, out)).toThrow(expect.objectContaining({ code }));
    expect(fs.readFileSync(file)).toEqual(caseBytes(name));
  });

  test('bytes without any sense', () => {
    fs.writeFileSync(file, Buffer.alloc(100_000, 0x0d));
    expect(() => salvageFile(file, out)).toThrow(
      expect.objectContaining({ code: 'FILE_NOT_A_DATABASE' }),
    );
  });
});
