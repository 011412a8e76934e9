import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Recording } from '../../src/model/recording.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { readCursor } from '../../src/store/export-cursor.ts';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import {
  format1Cursor,
  format1Events,
  format1Facts,
  format1Samples,
} from '../support/format-1-session.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, tickOf } from '../support/record-samples.ts';

const format1 = fileURLToPath(new URL('../fixtures/store/format-1.db', import.meta.url));
const samples = format1Samples();

describe('a file of format 1', () => {
  test('is read, and stays as it is', () => {
    using folder = temporaryFolder();
    const file = folder.file('old.db');
    copyFileSync(format1, file);
    {
      using recording = openRecording(file, { temporaryFolder: folder.path });
      expect(recording.facts).toEqual(format1Facts);
      expectSession(recording);
      expect(readCursor(file, format1Cursor.target)).toEqual(format1Cursor);
    }
    expect(readFileSync(file).equals(readFileSync(format1))).toBe(true);
    expect(readdirSync(folder.path)).toEqual(['old.db']);
  });

  test('is read while a recorder of that version writes it', () => {
    using folder = temporaryFolder();
    const file = folder.file('old.db');
    copyFileSync(format1, file);
    const recorder = openDatabase(file, { mode: 'write', busyTimeoutMs: 0 });
    recorder.pragma('journal_mode = WAL');
    recorder.exec('UPDATE tick SET machine_free_kib = 7 WHERE sequence = 130');
    using recording = openRecording(file);
    expect(recording.lastTick()?.machine.freeBytes).toBe(7 * 1024);
    recorder.close();
  });

  test('is brought up to date by a recorder that goes on with it', () => {
    using folder = temporaryFolder();
    const file = folder.file('old.db');
    copyFileSync(format1, file);
    const writer = StoreWriter.open(file, { ...format1Facts, endedUnixMs: null, endReason: null });
    writer.writeSample(fakeSample({ second: 3600 + 3, sequence: 1 }), []);
    writer.close(ended);
    const db = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
    expect(db.pragma('user_version', { simple: true })).toBe(2);
    expect(db.pragma('auto_vacuum', { simple: true })).toBe(2);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(schemaOf(file)).toEqual(schemaOf(newFile(folder.file('new.db'))));
    db.close();
    using recording = openRecording(file);
    expect([...recording.ticks()].at(-1)?.sequence).toBe(131);
    expectSession(recording, { toUnixMs: startUnixMs + 3_000_000 });
  });

  test('is not touched by one that may not', () => {
    using folder = temporaryFolder();
    const file = folder.file('old.db');
    copyFileSync(format1, file);
    expect(() => StoreWriter.open(file, { ...format1Facts, id: 'another' })).toThrow(
      expect.objectContaining({ code: 'FILE_EXISTS' }),
    );
    const db = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
    expect(db.pragma('user_version', { simple: true })).toBe(1);
    db.close();
  });

  test('that is damaged is FILE_CORRUPT', () => {
    using folder = temporaryFolder();
    const file = folder.file('old.db');
    copyFileSync(format1, file);
    const db = openDatabase(file, { mode: 'write', busyTimeoutMs: 0 });
    db.exec("UPDATE rollup SET sketch = x'00'");
    db.close();
    expect(() => openRecording(file)).toThrow(expect.objectContaining({ code: 'FILE_CORRUPT' }));
  });
});

/** All that the file was made from, as far as a file of today says it. */
function expectSession(recording: Recording, range = {}): void {
  expect([...recording.ticks(range)]).toEqual(samples.map(tickOf));
  expect(recording.events(range)).toEqual([...format1Events.values()].flat());
  expect(recording.processes()).toMatchObject([
    {
      pid: 100,
      role: 'browser',
      peakRssBytes: 99 * mib,
      lastCpuMs: 30 * 129,
      command: '/usr/bin/chromium',
    },
    { pid: 7, role: 'other', signal: 'SIGKILL', endedUnixMs: startUnixMs + 130_000 },
    { pid: 140, role: 'renderer', firstUnixMs: startUnixMs + 40_000, peakRssBytes: 129 * mib },
  ]);
  const rows = [...recording.processSamples(range)];
  for (const row of rows) {
    const sample = samples.find(({ timeUnixMs }) => timeUnixMs === row.timeUnixMs);
    const pid = [0, 100, 7, 140][row.process];
    const reading = sample?.processes.find((one) => one.pid === pid);
    const { process: _, timeUnixMs: __, ...figures } = row;
    expect(reading).toMatchObject(figures);
  }
  expect(rows.filter(({ pssBytes }) => pssBytes !== null)).toHaveLength(5);
  expect(rows.length).toBeGreaterThan(200);
  const working = recording.distribution({ scope: 'session', metric: 'working_set' }, range);
  // 200 MiB to 329 MiB, a second each: what the cgroup was charged.
  expect(working).toMatchObject({ count: 130_000, min: 200 * mib, max: 329 * mib });
  expect(working?.sum).toBe(1000 * 130 * 264.5 * mib);
  expect(Math.abs((working?.quantile(0.5) ?? 0) / (264 * mib) - 1)).toBeLessThan(0.011);
  const renderer = recording.distribution({ scope: 'renderer', metric: 'rss' }, range);
  expect(renderer).toMatchObject({ count: 90_000, min: 40 * mib, max: 129 * mib });
}

function newFile(file: string): string {
  StoreWriter.open(file, format1Facts).close(ended);
  return file;
}

function schemaOf(file: string): unknown[] {
  const db = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
  const rows = db
    .prepare(
      "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY name",
    )
    .all();
  db.close();
  return rows;
}
