import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RecordingEvent } from '../../src/model/event.ts';
import type { Sample } from '../../src/model/sample.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeOomKill, fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, running } from '../support/record-samples.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';
import { fillDisk, mountTmpfs } from '../support/tmpfs.ts';

const written = { outcome: 'written' };

/** A second connection with a write lock, as a SQLite shell holds it after BEGIN IMMEDIATE. */
function lock(file: string): () => void {
  const shell = openDatabase(file, { mode: 'write', busyTimeoutMs: 0 });
  shell.exec('BEGIN IMMEDIATE');
  return () => {
    shell.exec('COMMIT');
    shell.close();
  };
}

function notesOf(events: readonly RecordingEvent[]): string[] {
  return events.flatMap((event) =>
    event.kind === 'note' ? [`${event.code}: ${event.message}`] : [],
  );
}

describe('somebody else holds a write lock (case 088)', () => {
  test('20 ticks wait in memory and are written when the lock is gone', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const samples = [...syntheticSamples({ tickCount: 25, processCount: 10 })];
    const writer = StoreWriter.open(file, syntheticFacts(), { busyTimeoutMs: 1 });
    const write = (at: number) => samples[at] && writer.writeSample(samples[at], []);
    expect(write(0)).toEqual(written);
    const unlock = lock(file);
    for (let at = 1; at <= 20; at++) {
      expect(write(at)).toMatchObject({
        outcome: 'deferred',
        reason: 'busy',
        pendingCount: at,
        lostCount: 0,
      });
    }
    unlock();
    for (let at = 21; at < 25; at++) expect(write(at)).toEqual(written);
    writer.close(ended);
    using recording = openRecording(file);
    expect([...recording.ticks()].map(({ sequence }) => sequence)).toEqual(
      samples.map(({ sequence }) => sequence),
    );
    expect(notesOf(recording.events())).toEqual([
      'store_busy: the file could not be written from 2026-01-05T10:00:01.000Z to ' +
        '2026-01-05T10:00:21.000Z (database is locked): ' +
        '21 samples were kept in memory, 0 were lost',
    ]);
  });

  test('what the memory has no room for is lost and counted; events are kept', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const options = { busyTimeoutMs: 0, pendingCapacity: 5 };
    const writer = StoreWriter.open(file, running, options);
    writer.writeSample(fakeSample({ second: 0 }), []);
    const unlock = lock(file);
    const kill = fakeOomKill({ pid: 9, comm: 'chromium', timeUnixMs: startUnixMs + 3000 });
    for (let second = 1; second <= 19; second++) {
      writer.writeSample(fakeSample({ second }), second === 3 ? [kill] : []);
    }
    expect(writer.writeSample(fakeSample({ second: 20 }), [])).toMatchObject({
      pendingCount: 5,
      lostCount: 15,
    });
    unlock();
    expect(writer.writeSample(fakeSample({ second: 21 }), [])).toEqual(written);
    writer.close(ended);
    using recording = openRecording(file);
    const seconds = [...recording.ticks()].map((tick) => (tick.timeUnixMs - startUnixMs) / 1000);
    expect(seconds).toEqual([0, 17, 18, 19, 20, 21]);
    const events = recording.events();
    expect(events).toContainEqual(kill);
    expect(events).toContainEqual({
      kind: 'gap',
      gap: 'lost',
      fromUnixMs: startUnixMs,
      toUnixMs: startUnixMs + 17_000,
      timeUnixMs: startUnixMs + 17_000,
      wallMs: 17_000,
      monotonicMs: 17_000,
    });
    expect(notesOf(events)).toEqual([expect.stringContaining('16 were lost')]);
  });

  test('closing under a lock says what is not in the file, and the file is whole', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const writer = StoreWriter.open(file, running, { busyTimeoutMs: 0 });
    writer.writeSample(fakeSample({ second: 0 }), []);
    const unlock = lock(file);
    writer.writeSample(fakeSample({ second: 1 }), []);
    expect(writer.close(ended)).toMatchObject({ outcome: 'deferred', pendingCount: 1 });
    unlock();
    using recording = openRecording(file, { isAlive: () => false });
    expect(recording.tickCount()).toBe(1);
    expect(recording.facts.endReason).toBe('lost');
  });
});

describe('the counts', () => {
  test('of an outage with holes are told once, when it is over', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const writer = StoreWriter.open(file, running, { busyTimeoutMs: 0, pendingCapacity: 3 });
    writer.writeSample(fakeSample({ second: 0 }), []);
    const unlock = lock(file);
    for (let second = 1; second <= 10; second++) writer.writeSample(fakeSample({ second }), []);
    expect(writer.writtenCount).toBe(1);
    unlock();
    writer.writeSample(fakeSample({ second: 11 }), []);
    expect(writer.writtenCount).toBe(4);
    expect(writer.close(ended)).toEqual(written);
    using recording = openRecording(file);
    expect(recording.tickCount()).toBe(4);
    expect(notesOf(recording.events())).toEqual([
      expect.stringContaining('3 samples were kept in memory, 8 were lost'),
    ]);
  });

  test('of a disk that is full to the end are not told in the file', ({ skip }) => {
    using folder = temporaryFolder();
    const disk = folder.file('disk');
    using mounted = mountTmpfs(disk);
    if (mounted === null) return skip();
    const file = `${disk}/a.db`;
    const writer = StoreWriter.open(file, syntheticFacts(), { pendingCapacity: 100 });
    const samples = crowdedSamples(30, 430);
    let deferred = 0;
    for (const sample of samples) {
      if (sample.sequence === 31) fillDisk(`${disk}/ballast`);
      if (writer.writeSample(sample, []).outcome !== 'written') deferred++;
    }
    expect(deferred).toBeGreaterThan(300);
    const result = writer.close(ended);
    expect(result).toMatchObject({ outcome: 'deferred', reason: 'full' });
    using recording = openRecording(file, { isAlive: () => false });
    expect(recording.tickCount()).toBe(writer.writtenCount);
    const lost = Number(result.outcome === 'deferred' ? result.lostCount : 0);
    expect(lost + 100 + writer.writtenCount).toBe(430);
    for (const note of notesOf(recording.events())) expect(note).toContain(' 0 were lost');
  });
});

test('of a long lock only the first sample waits the whole timeout', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const writer = StoreWriter.open(file, running, { busyTimeoutMs: 600 });
  const unlock = lock(file);
  const begun = performance.now();
  // Waiting for each of them would take two minutes, longer than a test may.
  for (let second = 0; second < 200; second++) {
    expect(writer.writeSample(fakeSample({ second }), [])).toMatchObject({ reason: 'busy' });
  }
  console.info(`200 samples under a lock: ${Math.round(performance.now() - begun)} ms`);
  unlock();
  expect(writer.writeSample(fakeSample({ second: 200 }), [])).toEqual(written);
  writer.close(ended);
});

test('a reader that holds on to one state of the file for minutes does not fill the disk', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const writer = StoreWriter.open(file, syntheticFacts(), { maxBytes: 4 * mib });
  const grafana = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
  grafana.exec('BEGIN');
  expect(grafana.prepare('SELECT count(*) FROM tick').pluck().get()).toBe(0);
  const samples = [...syntheticSamples({ tickCount: 500, processCount: 100 })];
  const results = samples.map((sample) => writer.writeSample(sample, []));
  const isWritten = results.map(({ outcome }) => outcome === 'written');
  const first = isWritten.indexOf(false);
  expect(first).toBeGreaterThan(60);
  expect(isWritten.indexOf(true, first)).toBe(-1);
  expect(results.at(-1)).toEqual({
    outcome: 'deferred',
    reason: 'busy',
    pendingCount: 500 - first,
    lostCount: 0,
    message:
      'another program has been reading the file for too long, and its log has come to 2 MiB',
  });
  expect(statSync(`${file}-wal`).size).toBeLessThanOrEqual(2 * mib);
  grafana.exec('COMMIT');
  grafana.close();
  expect(writer.close(ended)).toEqual(written);
  using recording = openRecording(file);
  expect(recording.tickCount()).toBe(500);
  expect(notesOf(recording.events())).toEqual([
    expect.stringMatching(/^store_busy: .* 0 were lost$/),
  ]);
});

test('on a full disk old detail makes room for what comes', ({ skip }) => {
  using folder = temporaryFolder();
  const disk = folder.file('disk');
  using mounted = mountTmpfs(disk);
  if (mounted === null) return skip();
  writeFileSync(`${disk}/ballast`, Buffer.alloc(2 ** 20));
  const file = `${disk}/a.db`;
  const writer = StoreWriter.open(file, syntheticFacts());
  let fullBytes = 0;
  for (const sample of syntheticSamples({ tickCount: 9000, processCount: 40 })) {
    expect(writer.writeSample(sample, [])).toEqual(written);
    if (sample.sequence !== 7500) continue;
    // Space again.
    fullBytes = statSync(file).size;
    rmSync(`${disk}/ballast`);
  }
  expect(fullBytes).toBeGreaterThan(2 ** 20);
  expect(statSync(file).size).toBeGreaterThan(fullBytes);
  expect(writer.close(ended)).toEqual(written);
  expect(readdirSync(disk)).toEqual(['a.db']);
  const check = execFileSync('sqlite3', [file, 'PRAGMA integrity_check'], { encoding: 'utf8' });
  expect(check.trim()).toBe('ok');
  using recording = openRecording(file);
  const [minutes, ticks] = recording.resolutions();
  expect(minutes).toMatchObject({ resolution: 'minutes', lostCount: 0 });
  expect((minutes?.sampleCount ?? 0) + (ticks?.sampleCount ?? 0)).toBe(9000);
  expect(recording.events()).toEqual([]);
  expect(recording.distribution({ scope: 'session', metric: 'available' })?.count).toBe(9_000_000);
});

test('the disk is full, with nothing to take away, and has room again later (case 090)', ({
  skip,
}) => {
  using folder = temporaryFolder();
  const disk = folder.file('disk');
  using mounted = mountTmpfs(disk);
  if (mounted === null) return skip();
  const file = `${disk}/a.db`;
  const writer = StoreWriter.open(file, syntheticFacts());
  const samples = crowdedSamples(30, 40);
  let deferred = 0;
  for (const sample of samples) {
    if (sample.sequence === 31) fillDisk(`${disk}/ballast`);
    const result = writer.writeSample(sample, []);
    if (deferred === 0 && result.outcome === 'written') continue;
    if (result.outcome === 'written') break;
    expect(result).toMatchObject({ reason: 'full', pendingCount: deferred + 1, lostCount: 0 });
    deferred++;
    if (deferred === 3) rmSync(`${disk}/ballast`);
  }
  expect(deferred).toBe(3);
  expect(writer.close(ended)).toEqual(written);
  const check = execFileSync('sqlite3', [file, 'PRAGMA integrity_check'], { encoding: 'utf8' });
  expect(check.trim()).toBe('ok');
  using recording = openRecording(file);
  const sequences = [...recording.ticks()].map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, at) => at + 1));
  expect(sequences.length).toBe(34);
  expect(notesOf(recording.events())).toEqual([
    expect.stringMatching(/^store_full: .* 0 were lost$/),
  ]);
});

/** So many quiet samples, then each with 1500 processes that were not there before. */
function crowdedSamples(quiet: number, tickCount: number): Sample[] {
  return [...syntheticSamples({ tickCount, processCount: 40 })].map((sample) => {
    if (sample.sequence <= quiet) return sample;
    const crowd = Array.from({ length: 1500 }, (_, at) =>
      fakeProcess({ pid: 10_000 + 1500 * sample.sequence + at, role: 'other', rssBytes: mib }),
    );
    return { ...sample, processes: [...sample.processes, ...crowd] };
  });
}

test('a disk that is full from the beginning is STORE_FULL', ({ skip }) => {
  using folder = temporaryFolder();
  const disk = folder.file('disk');
  using mounted = mountTmpfs(disk);
  if (mounted === null) return skip();
  writeFileSync(`${disk}/ballast`, Buffer.alloc(4 * 2 ** 20 - 8192));
  expect(() => StoreWriter.open(`${disk}/a.db`, running)).toThrow(
    expect.objectContaining({ code: 'STORE_FULL' }),
  );
  expect(readdirSync(disk)).toEqual(['ballast']);
});
