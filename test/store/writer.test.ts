import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ProcessExit } from '../../src/model/event.ts';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeOomKill, fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, recordSamples, running, tickOf } from '../support/record-samples.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';

describe('what was written', () => {
  test('comes back: every figure of every tick', () => {
    using folder = temporaryFolder();
    const samples = [...syntheticSamples({ tickCount: 130, processCount: 12 })];
    recordSamples(folder.file('a.db'), samples, { facts: syntheticFacts() });
    using recording = openRecording(folder.file('a.db'));
    expect([...recording.ticks()]).toEqual(samples.map(tickOf));
    expect(recording.firstTick()?.sequence).toBe(1);
    expect(recording.lastTick()?.sequence).toBe(130);
  });

  test('comes back where the machine told nothing', () => {
    using folder = temporaryFolder();
    const sample = fakeSample({ second: 0 });
    recordSamples(folder.file('a.db'), [sample]);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.firstTick()).toEqual(tickOf(sample));
    expect(recording.firstTick()?.cgroup).toBeNull();
  });

  test('comes back when it is larger than 32 bits', () => {
    using folder = temporaryFolder();
    const totalBytes = 24 * 2 ** 40;
    const sample = fakeSample({
      second: 0,
      monotonicMs: 2 ** 40,
      machine: { totalBytes, freeBytes: totalBytes - 2 ** 31 },
      activity: { cpuIdleMs: 2 ** 41, swapOutBytes: 2 ** 45 },
    });
    recordSamples(folder.file('a.db'), [sample]);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.firstTick()).toEqual(tickOf(sample));
  });

  test('comes back when what seldom changes does change, and changes back', () => {
    using folder = temporaryFolder();
    const limits = [512, 512, 1024, 512, 512];
    const samples = limits.map((limit, second) =>
      fakeSample({ second, cgroup: { limitBytes: limit * mib, path: '/a' } }),
    );
    recordSamples(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    expect([...recording.ticks()].map(({ cgroup }) => cgroup?.limitBytes)).toEqual(
      limits.map((limit) => limit * mib),
    );
  });

  test('has the facts and the end of the session', () => {
    using folder = temporaryFolder();
    const facts = syntheticFacts({ labels: { suite: 'login', "it's": '"quoted"' } });
    recordSamples(folder.file('a.db'), [fakeSample({ second: 0 })], { facts });
    using recording = openRecording(folder.file('a.db'));
    expect(recording.facts).toEqual({ ...facts, ...ended });
    expect(recording.isLive).toBe(false);
  });

  test('is one file', () => {
    using folder = temporaryFolder();
    recordSamples(folder.file('a.db'), [fakeSample({ second: 0 })]);
    expect(readdirSync(folder.path)).toEqual(['a.db']);
  });

  test('is closed once, however often that is asked for', () => {
    using folder = temporaryFolder();
    const writer = StoreWriter.open(folder.file('a.db'), running);
    writer.close(ended);
    expect(writer.close({ ...ended, endReason: 'deleted' })).toEqual({ outcome: 'written' });
    using recording = openRecording(folder.file('a.db'));
    expect(recording.facts.endReason).toBe('signal');
  });

  test('is a recording also when nothing was written', () => {
    using folder = temporaryFolder();
    recordSamples(folder.file('a.db'), []);
    using recording = openRecording(folder.file('a.db'));
    expect([recording.tickCount(), recording.firstTick(), recording.series()]).toEqual([
      0,
      null,
      [],
    ]);
    expect(recording.distribution({ scope: 'session', metric: 'working_set' })).toBeNull();
  });

  test('has the events, by time, an unknown time being that of its tick', () => {
    using folder = temporaryFolder();
    const exit: ProcessExit = {
      kind: 'process_exit',
      timeUnixMs: startUnixMs + 2000,
      pid: 100,
      startTicks: 1000,
      role: 'browser',
      exitCode: null,
      signal: 'SIGKILL',
      source: 'parent',
    };
    const kill = fakeOomKill({ pid: 100, comm: 'chromium' });
    const writer = StoreWriter.open(folder.file('a.db'), running);
    const browser = fakeProcess({ pid: 100, role: 'browser' });
    writer.writeSample(fakeSample({ second: 0, processes: [browser] }), []);
    writer.writeSample(fakeSample({ second: 1, processes: [] }), [exit, kill]);
    writer.close(ended);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.events()).toEqual([kill, exit]);
    expect(recording.events({ fromUnixMs: startUnixMs + 1500 })).toEqual([exit]);
    expect(recording.processes()).toMatchObject([{ pid: 100, exitCode: null, signal: 'SIGKILL' }]);
  });
});

test('the same tick twice is written once (case 094)', () => {
  using folder = temporaryFolder();
  const writer = StoreWriter.open(folder.file('a.db'), running);
  const sample = fakeSample({ second: 0 });
  expect(writer.writeSample(sample, [])).toEqual({ outcome: 'written' });
  expect(writer.writeSample(sample, [])).toEqual({ outcome: 'duplicate' });
  writer.close(ended);
  using recording = openRecording(folder.file('a.db'));
  expect(recording.tickCount()).toBe(1);
});

test('a sample that no file would take is an error and not in the way of the next one', () => {
  using folder = temporaryFolder();
  const writer = StoreWriter.open(folder.file('a.db'), running);
  const state = undefined as unknown as string;
  const broken = fakeProcess({ pid: 100, role: 'browser', state });
  expect(() => writer.writeSample(fakeSample({ second: 0, processes: [broken] }), [])).toThrow(
    expect.objectContaining({ code: 'INTERNAL' }),
  );
  expect(writer.writeSample(fakeSample({ second: 1 }), [])).toEqual({ outcome: 'written' });
  writer.close(ended);
});
