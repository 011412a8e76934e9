import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeOomKill, fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { stalledSession } from '../support/stalled-session.ts';

const at = (second: number) => startUnixMs + second * 1000;
const browser = fakeProcess({ pid: 100, role: 'browser' });

/** A limit of 1 GiB of which this much, in MiB, is anonymous at each second. */
function samplesOf(seconds: number, anonMib: (second: number) => number) {
  return Array.from({ length: seconds }, (_, second) =>
    fakeSample({
      second,
      machine: { totalBytes: 8192 * mib, availableBytes: 7000 * mib },
      cgroup: {
        version: 2,
        limitBytes: 1024 * mib,
        chargedBytes: 1023 * mib,
        inactiveFileBytes: 0,
        anonBytes: anonMib(second) * mib,
        shmemBytes: 0,
        kernelBytes: 0,
      },
      processes: [browser],
    }),
  );
}

test('a leak of 20 MiB a second: warned when less than 30 s are left, to the second', () => {
  // 1024 MiB at second 51.2, so 30 s are left at second 21.2; a tenth is left at 46.
  const kill = fakeOomKill({ pid: 100, comm: 'chromium', timeUnixMs: at(51), scope: 'cgroup' });
  const samples = samplesOf(52, (second) => second * 20);
  const events = [{ ...kill, cgroup: '/session', taskCgroup: '/session' }];
  const { leads, warnings } = analyse(fakeRecording({ samples, events }));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatchObject({ reason: 'trend', fromUnixMs: at(22), secondsToLimit: 29 });
  expect(leads).toEqual([
    { of: 'kernel_oom', timeUnixMs: at(51), warnedUnixMs: at(22), leadMs: 29_000 },
  ]);
});

test('an OOM kill of two processes: its warning stands in the evidence once', () => {
  const kills = [100, 101].map((pid, index) => ({
    ...fakeOomKill({ pid, comm: 'chromium', timeUnixMs: at(51) + index * 3, scope: 'cgroup' }),
    cgroup: '/session',
    taskCgroup: '/session',
  }));
  const samples = samplesOf(52, (second) => second * 20).map((sample) => ({
    ...sample,
    processes: [browser, fakeProcess({ pid: 101, role: 'renderer' })],
  }));
  const { leads, verdict } = analyse(fakeRecording({ samples, events: kills }));
  expect(leads).toHaveLength(2);
  expect(verdict.evidence.filter((line) => line.includes(' ahead of the kill '))).toHaveLength(1);
});

test.each<[string, (second: number) => number]>([
  ['a steady session', () => 300],
  ['a page that loads', (second) => 200 + Math.min(150, second * 30)],
  ['a leak that takes an hour', (second) => 200 + second * 0.2],
])('%s gives no warning', (_, anonMib) => {
  expect(analyse(fakeRecording({ samples: samplesOf(120, anonMib) })).warnings).toEqual([]);
});

test('little left is a warning, also where nothing grows', () => {
  const { warnings, leads } = analyse(fakeRecording({ samples: samplesOf(20, () => 930) }));
  expect(warnings).toMatchObject([{ reason: 'low', fromUnixMs: at(0), secondsToLimit: null }]);
  expect(leads).toEqual([]);
});

test('a measured stall was known before it set in', () => {
  const { leads, stalls } = analyse(fakeRecording({ samples: stalledSession([browser]) }));
  expect(leads).toMatchObject([{ of: 'memory_stall', timeUnixMs: stalls[0]?.fromUnixMs }]);
  // By hand: 16 MiB a second and 500 MiB to go at second 7, 30 s to go from about then on.
  expect(leads[0]?.leadMs).toBeGreaterThan(5_000);
});
