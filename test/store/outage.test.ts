import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RecordingEvent } from '../../src/model/event.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeOomKill, fakeSample, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, running } from '../support/record-samples.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';
import { mountTmpfs } from '../support/tmpfs.ts';

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

  // Room for some samples only, again and again: what is in the file has to agree with what it says.
  test('of a disk that is full to the end are not told in the file', ({ skip }) => {
    using folder = temporaryFolder();
    const disk = folder.file('disk');
    using mounted = mountTmpfs(disk);
    if (mounted === null) return skip();
    writeFileSync(`${disk}/ballast`, Buffer.alloc(2 ** 20));
    writeFileSync(`${disk}/more`, Buffer.alloc(2 ** 17));
    const file = `${disk}/a.db`;
    const writer = StoreWriter.open(file, syntheticFacts(), { pendingCapacity: 100 });
    let count = 0;
    let deferred = 0;
    for (const sample of syntheticSamples({ tickCount: 9000, processCount: 40 })) {
      count++;
      if (writer.writeSample(sample, []).outcome === 'written') continue;
      deferred++;
      if (deferred === 50) rmSync(`${disk}/more`);
      if (deferred === 400) break;
    }
    const result = writer.close(ended);
    expect(result).toMatchObject({ outcome: 'deferred', reason: 'full' });
    using recording = openRecording(file, { isAlive: () => false });
    expect(recording.tickCount()).toBe(writer.writtenCount);
    expect(writer.writtenCount).toBeLessThan(count);
    const lost = Number(result.outcome === 'deferred' ? result.lostCount : 0);
    expect(lost).toBeGreaterThan(200);
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

test('the disk is full, and has room again later (case 090)', ({ skip }) => {
  using folder = temporaryFolder();
  const disk = folder.file('disk');
  using mounted = mountTmpfs(disk);
  if (mounted === null) return skip();
  writeFileSync(`${disk}/ballast`, Buffer.alloc(2 ** 20));
  const file = `${disk}/a.db`;
  const writer = StoreWriter.open(file, syntheticFacts());
  const sequences: number[] = [];
  let deferred = 0;
  for (const sample of syntheticSamples({ tickCount: 9000, processCount: 40 })) {
    sequences.push(sample.sequence);
    const result = writer.writeSample(sample, []);
    if (deferred === 0 && result.outcome === 'written') continue;
    if (result.outcome === 'written') break;
    expect(result).toMatchObject({ reason: 'full', pendingCount: deferred + 1, lostCount: 0 });
    deferred++;
    if (deferred === 30) rmSync(`${disk}/ballast`);
  }
  expect(deferred).toBe(30);
  expect(writer.close(ended)).toEqual(written);
  expect(readdirSync(disk)).toEqual(['a.db']);
  const check = execFileSync('sqlite3', [file, 'PRAGMA integrity_check'], { encoding: 'utf8' });
  expect(check.trim()).toBe('ok');
  using recording = openRecording(file);
  expect([...recording.ticks()].map(({ sequence }) => sequence)).toEqual(sequences);
  expect(notesOf(recording.events())).toEqual([
    expect.stringMatching(/^store_full: .* 0 were lost$/),
  ]);
});

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
