import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Sample } from '../../src/model/sample.ts';
import { workingSetBytes } from '../../src/model/session-memory.ts';
import { openRecording } from '../../src/store/reader.ts';
import { thisRecorder } from '../../src/store/recorder-lock.ts';
import { verifyFile } from '../../src/store/verify/verify-file.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { exactPercentile } from '../support/exact-percentile.ts';
import { mib } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended } from '../support/record-samples.ts';
import {
  syntheticFacts,
  syntheticSamples,
  syntheticStartUnixMs,
} from '../support/synthetic-session.ts';
import { fillDisk, mountTmpfs } from '../support/tmpfs.ts';

const hourMs = 3_600_000;

test('a thinned recording goes on after a reboot, with a clock that was set back by hours', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const maxBytes = 4 * mib;
  const session = { intervalMs: 10_000, processCount: 40 };
  const before = [...syntheticSamples({ ...session, tickCount: 3000 })];
  const after = [
    ...syntheticSamples({
      ...session,
      tickCount: 1500,
      startUnixMs: (before.at(-1)?.timeUnixMs ?? 0) - 3 * hourMs,
      seed: 2,
    }),
  ].map((sample): Sample => ({ ...sample, monotonicMs: sample.monotonicMs - 4_999_000 }));
  const machine = { ...syntheticFacts().machine, bootId: '99999999-2222-3333-4444-555555555555' };
  for (const [samples, facts] of [
    [before, syntheticFacts({ intervalMs: 10_000 })],
    [after, syntheticFacts({ intervalMs: 10_000, machine })],
  ] as const) {
    const writer = StoreWriter.open(file, facts, { maxBytes });
    for (const sample of samples) {
      expect(writer.writeSample(sample, [])).toEqual({ outcome: 'written' });
    }
    expect(statSync(file).size + statSync(`${file}-wal`).size).toBeLessThanOrEqual(maxBytes);
    const endedUnixMs = samples.at(-1)?.timeUnixMs ?? 0;
    expect(writer.close({ endedUnixMs, endReason: 'signal' })).toEqual({ outcome: 'written' });
    expect(verifyFile(file)).toMatchObject({ isWhole: true, checked: 'every_byte' });
  }

  using recording = openRecording(file);
  const stretches = recording.resolutions();
  expect(stretches[0]?.resolution).not.toBe('ticks');
  expect(stretches.reduce((sum, { sampleCount }) => sum + sampleCount, 0)).toBe(4500);
  expect(recording.lastTick()).toMatchObject({ sequence: 4500 });
  const lastUnixMs = before.at(-1)?.timeUnixMs ?? 0;
  expect(recording.events()).toMatchObject([
    { gap: 'restart', fromUnixMs: lastUnixMs, toUnixMs: lastUnixMs - 3 * hourMs },
  ]);
  // Of each run the first sample stands for one interval, any other for the time since the last.
  const exact = [before, after].flatMap((samples) =>
    samples.map((sample, at) => ({
      value: workingSetBytes(sample) ?? 0,
      weight: sample.monotonicMs - (samples[at - 1]?.monotonicMs ?? sample.monotonicMs - 10_000),
    })),
  );
  const sketch = recording.distribution({ scope: 'session', metric: 'working_set' });
  expect(sketch?.count).toBe(exact.reduce((sum, { weight }) => sum + weight, 0));
  expect(sketch?.min).toBe(Math.min(...exact.map(({ value }) => value)));
  expect(sketch?.max).toBe(Math.max(...exact.map(({ value }) => value)));
  for (const q of [0.5, 0.95, 0.99]) {
    expect(Math.abs((sketch?.quantile(q) ?? 0) / exactPercentile(exact, q) - 1)).toBeLessThan(
      0.011,
    );
  }
  // Nothing of before the reboot is still there.
  const pids = new Set(after.at(-1)?.processes.map(({ pid }) => pid));
  const alive = recording.processes().filter((process) => process.lastUnixMs > lastUnixMs - hourMs);
  expect(recording.facts.machine.bootId).toBe(machine.bootId);
  expect(alive.length).toBeGreaterThanOrEqual(pids.size);
  expect(recording.firstTick()?.timeUnixMs).toBeGreaterThanOrEqual(syntheticStartUnixMs);
});

test('on a full disk no run is begun in what was ended, which stays as it is', ({ skip }) => {
  using folder = temporaryFolder();
  const disk = folder.file('disk');
  using mounted = mountTmpfs(disk);
  if (mounted === null) return skip();
  const file = `${disk}/a.db`;
  const samples = [...syntheticSamples({ tickCount: 900, processCount: 40 })];
  const first = StoreWriter.open(file, syntheticFacts());
  for (const sample of samples) first.writeSample(sample, []);
  first.close(ended);
  fillDisk(`${disk}/ballast`);
  const bytes = readFileSync(file);
  expect(() => StoreWriter.open(file, syntheticFacts())).toThrow(
    expect.objectContaining({ code: 'STORE_FULL' }),
  );
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(readdirSync(disk).toSorted()).toEqual(['a.db', 'ballast']);
  expect(verifyFile(file)).toMatchObject({ isWhole: true, checked: 'every_byte' });

  rmSync(`${disk}/ballast`);
  const next = StoreWriter.open(file, syntheticFacts());
  for (const sample of samples.slice(0, 10)) {
    expect(next.writeSample(sample, [])).toEqual({ outcome: 'written' });
  }
  next.close(ended);
  using recording = openRecording(file);
  expect(recording.tickCount()).toBe(910);
});

test('on a full disk what a killed recorder left goes on in its log, and makes its own room', ({
  skip,
}) => {
  using folder = temporaryFolder();
  const disk = folder.file('disk');
  using mounted = mountTmpfs(disk);
  if (mounted === null) return skip();
  const file = `${disk}/a.db`;
  const samples = [...syntheticSamples({ tickCount: 2000, processCount: 40 })];
  const recorder = { ...thisRecorder(), pid: 2 ** 22 + 1 };
  const killed = StoreWriter.open(file, syntheticFacts(), { recorder });
  for (const sample of samples.slice(0, 1500)) killed.writeSample(sample, []);
  fillDisk(`${disk}/ballast`);
  const next = StoreWriter.open(file, syntheticFacts());
  samples.slice(1500).forEach((sample, at) => {
    expect(next.writeSample({ ...sample, sequence: at + 1 }, [])).toEqual({ outcome: 'written' });
  });
  expect(next.close(ended)).toEqual({ outcome: 'written' });
  using recording = openRecording(file);
  const counts = recording.resolutions().map(({ sampleCount }) => sampleCount);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2000);
});
