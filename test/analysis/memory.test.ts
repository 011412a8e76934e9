import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeMachineFacts, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

test('percentiles are weighted by time, and the machine binds without a cgroup', () => {
  const samples = [100, 200, 300, 400].map((usedMib, index) =>
    fakeSample({
      // The last stands for a second, the others for ten.
      second: [0, 10, 20, 21][index] ?? 0,
      intervalMs: 10_000,
      machine: {
        totalBytes: 1000 * mib,
        freeBytes: (1000 - usedMib - 50) * mib,
        inactiveFileBytes: 50 * mib,
        availableBytes: (1000 - usedMib) * mib,
      },
    }),
  );
  const { memory } = analyse(fakeRecording({ samples }));
  // Of 31 s, 10 had 100, 10 had 200, 10 had 300 and 1 had 400 MiB.
  expect(memory.workingSetBytes).toEqual({
    p50: 200 * mib,
    p90: 300 * mib,
    p95: 300 * mib,
    p99: 400 * mib,
    max: 400 * mib,
  });
  expect(memory.availableBytes).toEqual({ min: 600 * mib, p1: 600 * mib, p50: 800 * mib });
  expect(memory.peakBytes).toEqual({ value: 400 * mib, source: 'samples', beforeStart: null });
  expect(memory).toMatchObject({
    headroomMinBytes: 600 * mib,
    headroomMinRatio: 0.6,
    headroomMinUnixMs: startUnixMs + 21_000,
    limitBytes: 1000 * mib,
  });
});

function cgroupSamples(version: 1 | 2, peaks: readonly number[]) {
  return peaks.map((peakMib, second) =>
    fakeSample({
      second,
      machine: { totalBytes: 8192 * mib, availableBytes: 6000 * mib },
      cgroup: {
        version,
        limitBytes: 400 * mib,
        chargedBytes: 300 * mib,
        inactiveFileBytes: 20 * mib,
        peakBytes: peakMib * mib,
      },
    }),
  );
}

test.each([
  [1, 'max_usage_in_bytes'],
  [2, 'memory.peak'],
] as const)('cgroup v%d: the peak is the kernel’s own mark, %s', (version, source) => {
  const { memory } = analyse(fakeRecording({ samples: cgroupSamples(version, [300, 390, 390]) }));
  expect(memory.peakBytes).toEqual({ value: 390 * mib, source, beforeStart: false });
  // 400 − (300 − 20), although the machine has 6000 MiB to give.
  expect(memory.headroomMinBytes).toBe(120 * mib);
  expect(memory.headroomMinRatio).toBe(0.3);
});

test('a mark that never moved was reached before the recording', () => {
  const { memory } = analyse(fakeRecording({ samples: cgroupSamples(2, [390, 390]) }));
  expect(memory.peakBytes).toMatchObject({ value: 390 * mib, beforeStart: true });
});

test('the mark of the whole life says nothing of a part in which it did not move', () => {
  const recording = fakeRecording({ samples: cgroupSamples(2, [300, 390, 390]) });
  const { memory } = analyse(recording, { fromUnixMs: startUnixMs + 1000 });
  expect(memory.peakBytes).toEqual({ value: 280 * mib, source: 'samples', beforeStart: null });
});

test('what the machine does not tell is null, never 0', () => {
  const { memory } = analyse(fakeRecording({ samples: [fakeSample({ second: 0 })] }));
  expect(memory).toEqual({
    workingSetBytes: { p50: null, p90: null, p95: null, p99: null, max: null },
    availableBytes: { min: null, p1: null, p50: null },
    peakBytes: { value: null, source: null, beforeStart: null },
    headroomMinBytes: null,
    headroomMinRatio: null,
    headroomMinUnixMs: null,
    limitBytes: fakeMachineFacts().limitBytes,
    limitSource: 'machine',
  });
});
