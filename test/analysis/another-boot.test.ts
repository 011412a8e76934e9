import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { Gap } from '../../src/model/event.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, startUnixMs } from '../support/fake-sample.ts';

// Three samples, then three after `awaySeconds`, of a monotonic clock and counters that are ahead of those before.
function reportOf(wallSecondsAway: number) {
  const counted = (forkCount: number, waitedMs: number) => ({
    activity: { forkCount, refaultFileCount: forkCount },
    pressure: { memoryFullMs: waitedMs, memorySomeMs: 2 * waitedMs },
  });
  const shell = fakeProcess({ pid: 10, role: 'other', threadCount: 1 });
  const child = fakeProcess({ pid: 11, role: 'other', threadCount: 1 });
  const before = [
    fakeSample({ second: 0, ...counted(1_000, 100) }),
    fakeSample({ second: 1, ...counted(1_004, 150) }),
    fakeSample({ second: 2, ...counted(1_010, 200) }),
  ];
  const after = [
    fakeSample({ second: 42, ...counted(5_000, 9_000), processes: [shell] }),
    fakeSample({ second: 43, ...counted(5_002, 9_030), processes: [shell, child] }),
    fakeSample({ second: 44, ...counted(5_003, 9_050) }),
  ].map((sample) => ({
    ...sample,
    timeUnixMs: sample.timeUnixMs + (wallSecondsAway - 40) * 1_000,
  }));
  const gap: Gap = {
    kind: 'gap',
    gap: 'restart',
    fromUnixMs: startUnixMs + 2_000,
    toUnixMs: startUnixMs + (2 + wallSecondsAway) * 1_000,
    timeUnixMs: startUnixMs + (2 + wallSecondsAway) * 1_000,
    wallMs: wallSecondsAway * 1_000,
    monotonicMs: 40_000,
  };
  return analyse(fakeRecording({ samples: [...before, ...after], events: [gap] }));
}

test('what the kernel counted in another boot is not the difference to the one before', () => {
  const { coverage, pressure, reclaim } = reportOf(300);
  expect(coverage.gaps.map(({ kind }) => kind)).toEqual(['restart']);
  // The shell was there when the first sample of that boot was taken.
  expect(coverage.forks).toEqual({ createdCount: 10 + 3, seenCount: 1, unseenCount: 12 });
  expect(pressure).toMatchObject({
    memoryFullMs: 100 + 50,
    memorySomeMs: 200 + 100,
    coveredMs: 4_000,
  });
  expect(reclaim.refaultCount).toBe(10 + 3);
});

test('a recorder that was only started again has missed nothing that the kernel counted', () => {
  const { coverage, pressure, reclaim } = reportOf(40);
  expect(coverage.forks).toEqual({ createdCount: 4_003, seenCount: 2, unseenCount: 4_001 });
  expect(pressure).toMatchObject({ memoryFullMs: 8_950, coveredMs: 44_000 });
  expect(reclaim.refaultCount).toBe(4_003);
});
