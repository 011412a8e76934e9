import { afterAll, expect, test } from 'vitest';
import { availableBytes, workingSetBytes } from '../../src/model/session-memory.ts';
import { openRecording } from '../../src/store/reader.ts';
import { fakeSample, mib } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { recordSamples } from '../support/record-samples.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

// Less than a minute, which is all loose; some minutes, and a part of one.
test.each([20, 150])('%i ticks: the very largest and smallest sample', (tickCount) => {
  const file = folder.file(`${tickCount}.db`);
  const samples = [...syntheticSamples({ tickCount, processCount: 8 })];
  recordSamples(file, samples, { facts: syntheticFacts() });
  using recording = openRecording(file);
  const kib = (bytes: number) => Math.round(bytes / 1024);
  const water = recording.highWater();
  const largest = Math.max(...samples.map((sample) => kib(workingSetBytes(sample) ?? 0)));
  const smallest = Math.min(...samples.map((sample) => kib(availableBytes(sample) ?? 0)));
  // Each is made of two figures that are stored in whole KiB.
  expect(Math.abs(kib(water.workingSetBytes ?? 0) - largest)).toBeLessThanOrEqual(1);
  expect(Math.abs(kib(water.availableBytes ?? 0) - smallest)).toBeLessThanOrEqual(1);
  // The synthetic mark never moves, and there is no swap.
  expect(water).toMatchObject({
    kernelMark: null,
    swapUsedBytes: 0,
    limitBytes: 4096 * mib,
    limitSource: 'cgroup_v2',
    hasMemoryEvent: false,
  });
});

test('a recording without a sample tells nothing', () => {
  const file = folder.file('empty.db');
  recordSamples(file, []);
  using recording = openRecording(file);
  expect(recording.highWater()).toEqual({
    workingSetBytes: null,
    availableBytes: null,
    kernelMark: null,
    swapUsedBytes: null,
    limitBytes: null,
    limitSource: 'machine',
    sinceUnixMs: null,
    hasMemoryEvent: false,
  });
});

test('a cgroup whose limit is above the machine’s memory does not bind', () => {
  const file = folder.file('wide.db');
  const samples = [100, 200].map((peakMib, second) =>
    fakeSample({
      second,
      machine: { totalBytes: 1024 * mib, freeBytes: 500 * mib, inactiveFileBytes: 24 * mib },
      cgroup: { limitBytes: 2048 * mib, chargedBytes: 50 * mib, peakBytes: peakMib * mib },
    }),
  );
  recordSamples(file, samples);
  using recording = openRecording(file);
  expect(recording.highWater()).toMatchObject({
    workingSetBytes: 500 * mib,
    kernelMark: null,
    limitBytes: 1024 * mib,
    limitSource: 'machine',
  });
});
