import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { ProcessExit } from '../../src/model/event.ts';
import type { CgroupMemory, Sample } from '../../src/model/sample.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { stalledSession } from '../support/stalled-session.ts';

const at = (second: number) => startUnixMs + second * 1000;
const browser = fakeProcess({ pid: 100, role: 'browser' });
const measured = stalledSession([browser]);

test('a measured stall is found from when memory stood at its limit', () => {
  const report = analyse(fakeRecording({ samples: measured }));
  expect(report.stalls).toHaveLength(1);
  const [stall] = report.stalls;
  // By eye: at the limit from second 9.7, above 10,000 refaults a second for good from second 22 on.
  expect(stall?.fromUnixMs).toBeGreaterThan(at(9.7));
  expect(stall?.fromUnixMs).toBeLessThan(at(25));
  expect(stall?.toUnixMs).toBe(measured.at(-1)?.timeUnixMs);
  expect(stall?.refaultsPerSecond).toBeGreaterThan(100_000);
  expect(stall?.waiting).toBe('some');
  expect(report.verdict.kind).toBe('memory_stall');
  expect(report.verdict.summary).toContain('the kernel killed nothing');
  expect(report.verdict.advice[0]).toContain('more than 512 MiB');
});

test('who kills a browser that stands still only buries it', () => {
  const kill: ProcessExit = {
    kind: 'process_exit',
    timeUnixMs: at(50),
    pid: 100,
    startTicks: 1000,
    role: 'browser',
    exitCode: null,
    signal: 'SIGKILL',
    source: 'connector',
  };
  const samples = measured.map((sample) =>
    sample.timeUnixMs < at(50) ? sample : { ...sample, processes: [] },
  );
  const report = analyse(fakeRecording({ samples, events: [kill] }));
  expect(report.deaths).toMatchObject([
    { pid: 100, verdict: 'memory_stall', certainty: 'inferred', signal: 'SIGKILL' },
  ]);
  expect(report.deaths[0]?.evidence.join()).toContain('file pages a second were read back');
  expect(report.verdict.kind).toBe('memory_stall');
});

/** Half a minute in which each second adds this much to the counters. */
function steady(perSecond: { refaults: number; fullMs: number }, cgroup: Partial<CgroupMemory>) {
  return Array.from(
    { length: 31 },
    (_, second): Sample =>
      fakeSample({
        second,
        machine: { totalBytes: 8192 * mib, availableBytes: 4096 * mib },
        cgroup: { version: 2, limitBytes: 1024 * mib, chargedBytes: 1023 * mib, ...cgroup },
        pressure: { memorySomeMs: second * 900, memoryFullMs: second * perSecond.fullMs },
        activity: { refaultFileCount: second * perSecond.refaults },
        processes: [browser],
      }),
  );
}

test.each([
  ['all of it', { refaults: 60_000, fullMs: 310 }, {}, 1],
  ['a cache that is full, and read once', { refaults: 500, fullMs: 310 }, {}, 0],
  ['reading back without anybody waiting', { refaults: 60_000, fullMs: 50 }, {}, 0],
  ['below the limit', { refaults: 60_000, fullMs: 310 }, { chargedBytes: 900 * mib }, 0],
  ['a v1 limit: one that waits is enough', { refaults: 60_000, fullMs: 50 }, { version: 1 }, 1],
] as const)('%s', (_, perSecond, cgroup, count) => {
  const report = analyse(fakeRecording({ samples: steady(perSecond, cgroup) }));
  expect(report.stalls).toHaveLength(count);
});

test('less than 10 s is no stall', () => {
  const samples = steady({ refaults: 60_000, fullMs: 310 }, {}).slice(0, 10);
  expect(analyse(fakeRecording({ samples })).stalls).toEqual([]);
});
