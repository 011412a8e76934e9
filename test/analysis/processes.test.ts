import fs from 'node:fs';
import { expect, test } from 'vitest';
import { processReports } from '../../src/analysis/processes.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

interface CaseSample {
  boot: number;
  procs: { pid: number; start: number; type: string; rss_kb: number; utime: number }[];
}

test('046: a reused pid is two processes, and no CPU time is negative', () => {
  const file = new URL('../fixtures/cases/046-pid-reuse/samples.jsonl', import.meta.url);
  const samples = fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CaseSample)
    .map(({ boot, procs }) =>
      fakeSample({
        second: boot,
        intervalMs: 10_000,
        processes: procs.map((process) =>
          fakeProcess({
            pid: process.pid,
            startTicks: process.start,
            role: process.type === 'utility' ? 'utility' : 'renderer',
            rssBytes: process.rss_kb * 1024,
            cpuMs: process.utime * 10,
          }),
        ),
      }),
    );
  const reports = processReports(fakeRecording({ samples }), {}, { gaps: [] });
  expect(reports.map(({ startTicks, role, cpuSeconds }) => [startTicks, role, cpuSeconds])).toEqual(
    [
      [50_210, 'renderer', 0],
      [61_877, 'utility', 0],
    ],
  );
  expect(reports[0]?.exit).toEqual({
    timeUnixMs: startUnixMs + 710_000,
    code: null,
    signal: null,
  });
  expect(reports[1]?.exit).toBeNull();
});

// A renderer that grows by 1 MiB a second from 100 MiB for 120 s, 250 ms of CPU a second.
const growing = fakeRecording({
  samples: Array.from({ length: 121 }, (_, second) =>
    fakeSample({
      second,
      processes: [
        fakeProcess({
          pid: 7,
          role: 'renderer',
          rssBytes: (100 + second) * mib,
          anonBytes: (60 + second) * mib,
          pssBytes: second % 10 === 0 ? (70 + second) * mib : null,
          cpuMs: 250 * second,
        }),
      ],
    }),
  ),
});

test('peaks, CPU and growth of a whole life', () => {
  const [report] = processReports(growing, {}, { gaps: [] });
  expect(report).toMatchObject({
    peakRssBytes: 220 * mib,
    peakPssBytes: 190 * mib,
    cpuSeconds: 30,
    firstUnixMs: startUnixMs,
    lastUnixMs: startUnixMs + 120_000,
  });
  expect((report?.growthBytesPerMinute ?? 0) / mib).toBeCloseTo(60, 0);
});

test('and of a part of it', () => {
  const range = { fromUnixMs: startUnixMs + 10_000, toUnixMs: startUnixMs + 40_000 };
  const [report] = processReports(growing, range, { gaps: [] });
  expect(report).toMatchObject({
    peakRssBytes: 140 * mib,
    peakPssBytes: 110 * mib,
    firstUnixMs: range.fromUnixMs,
    lastUnixMs: range.toUnixMs,
    // 30 s is too short for a growth.
    growthBytesPerMinute: null,
    exit: null,
  });
  // From the row in force before the range.
  expect(report?.cpuSeconds).toBeCloseTo(7.5, 0);
});

test('a growth over a long standby is not said', () => {
  const gap = {
    fromUnixMs: startUnixMs + 20_000,
    toUnixMs: startUnixMs + 40_000,
    kind: 'standby' as const,
    missingMs: 19_000,
  };
  expect(processReports(growing, {}, { gaps: [gap] })[0]?.growthBytesPerMinute).toBeNull();
});

test('it is that of the time before a session stood still at its limit', () => {
  const gap = {
    fromUnixMs: startUnixMs + 90_000,
    toUnixMs: startUnixMs + 120_000,
    kind: 'stall' as const,
    missingMs: 30_000,
  };
  const untilThen = { gaps: [gap], grownUntilUnixMs: gap.fromUnixMs };
  const [report] = processReports(growing, {}, untilThen);
  expect((report?.growthBytesPerMinute ?? 0) / mib).toBeCloseTo(60, 0);
  // Less than a minute was before it.
  const soon = { gaps: [], grownUntilUnixMs: startUnixMs + 59_000 };
  expect(processReports(growing, {}, soon)[0]?.growth).toBeNull();
});

test('a process outside the range is left out; one that ends after it is alive in it', () => {
  const samples = [0, 1, 2, 3].map((second) =>
    fakeSample({
      second,
      processes: [
        ...(second < 1 ? [fakeProcess({ pid: 1, role: 'other' })] : []),
        ...(second < 3 ? [fakeProcess({ pid: 2, role: 'other' })] : []),
      ],
    }),
  );
  const reports = processReports(
    fakeRecording({ samples }),
    { fromUnixMs: startUnixMs + 1000, toUnixMs: startUnixMs + 2000 },
    { gaps: [] },
  );
  expect(reports.map(({ pid, exit }) => [pid, exit])).toEqual([[2, null]]);
});
