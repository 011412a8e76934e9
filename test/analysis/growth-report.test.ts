import { expect, test } from 'vitest';
import { growthReport } from '../../src/analysis/growth-report.ts';
import { analyse } from '../../src/analysis/session-report.ts';
import type { ProcessReading } from '../../src/model/sample.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

const at = (second: number) => startUnixMs + second * 1000;
const browser = fakeProcess({ pid: 100, role: 'browser', anonBytes: 100 * mib });
const renderer = (pid: number, anonMib: number) =>
  fakeProcess({ pid, role: 'renderer', anonBytes: anonMib * mib });

function reportOf(seconds: number, processesAt: (second: number) => ProcessReading[]) {
  const samples = Array.from({ length: seconds }, (_, second) => {
    const processes = processesAt(second);
    const used = processes.reduce((sum, { anonBytes }) => sum + (anonBytes ?? 0), 0);
    return fakeSample({
      second,
      machine: { availableBytes: 1024 * mib - used },
      activity: { refaultFileCount: second * 50, directReclaimCount: second * 2 },
      processes,
    });
  });
  return analyse(fakeRecording({ samples }));
}

test('a renderer every 10 s, and none closed: the role leaks, and no process', () => {
  const { growth, processes } = reportOf(300, (second) => [
    browser,
    ...Array.from({ length: Math.floor(second / 10) + 1 }, (_, n) => renderer(110 + n, 10)),
  ]);
  const renderers = growth.roles.find(({ role }) => role === 'renderer');
  // 10 MiB every 10 s.
  expect((renderers?.growth.bytesPerMinute ?? 0) / mib).toBeCloseTo(60, -1);
  expect(renderers?.growth.isLeak).toBe(true);
  expect(growth.roles.find(({ role }) => role === 'browser')?.growth.isLeak).toBe(false);
  expect(processes.filter((process) => process.growth?.isLeak)).toEqual([]);
  // 410 MiB are used at the end, 614 are left: ten minutes and a bit.
  expect((growth.timeToLimitMs ?? 0) / 60_000).toBeCloseTo(10.2, 0);
});

test('a session that stands still at its limit: its growth is that of the time before', () => {
  const points = Array.from({ length: 120 }, (_, second) => ({
    timeUnixMs: at(second),
    bytes: Math.min(second, 80) * mib,
  }));
  const gap = { fromUnixMs: at(80), toUnixMs: at(119), kind: 'stall' as const, missingMs: 39_000 };
  const context = {
    session: { points, lastUnixMs: at(119), unusedBytes: 10 * mib, largestStep: null },
    records: [],
    histories: new Map(),
    roles: [],
    gaps: [gap],
    tail: { points: [], lastUnixMs: at(119) },
  };
  expect(growthReport({ ...context, stalls: [] }).session).toBeNull();
  const { session, ...rest } = growthReport({ ...context, stalls: [{ fromUnixMs: at(80) }] });
  // A MiB a second.
  expect((session?.bytesPerMinute ?? 0) / mib).toBeCloseTo(60, 0);
  expect(session?.isLeak).toBe(true);
  // It stands there already, and has grown no more since.
  expect(rest).toMatchObject({ timeToLimitMs: null, atEnd: null });
});

test('the largest step, and what began with it', () => {
  const { growth } = reportOf(120, (second) => [
    browser,
    ...(second < 60 ? [] : [renderer(110, 250)]),
  ]);
  expect(growth.largestStep).toMatchObject({
    toUnixMs: at(60),
    bytes: 250 * mib,
    started: [{ pid: 110, role: 'renderer' }],
  });
  expect(growth.timeToLimitMs).toBeNull();
});

test('less than a minute says nothing of growth', () => {
  const { growth } = reportOf(30, () => [browser]);
  expect(growth).toEqual({
    session: null,
    timeToLimitMs: null,
    atEnd: null,
    roles: [],
    largestStep: null,
  });
});

test('who stays: the oldest renderer, orphans, a second browser', () => {
  const second = fakeProcess({ pid: 200, role: 'browser', browserPid: 200 });
  const { population } = reportOf(60, (now) => [
    ...(now < 30 ? [browser] : []),
    renderer(110, 10),
    ...(now < 20 ? [renderer(111, 10)] : []),
    ...(now < 10 ? [] : [second]),
  ]);
  expect(population).toMatchObject({
    oldestRenderer: { pid: 110, ageMs: 59_000 },
    orphans: [{ pid: 110, role: 'renderer', browserPid: 100 }],
    browsers: [
      { pid: 100, hasEnded: true },
      { pid: 200, hasEnded: false },
    ],
    browsersMax: 2,
  });
});

test('reclaim: refaults and direct reclaim between the first and the last sample', () => {
  expect(reportOf(61, () => [browser]).reclaim).toEqual({
    refaultCount: 3_000,
    refaultsPerSecondMax: 50,
    directReclaimCount: 120,
    reclaimedBytes: null,
  });
});

test('usable headroom: less the files that the browser maps, as far as they count as available', () => {
  const mapping = (pid: number, role: 'browser' | 'renderer') =>
    fakeProcess({
      pid,
      role,
      anonBytes: 100 * mib,
      pssBytes: 170 * mib,
      pssAnonBytes: 100 * mib,
      pssShmemBytes: 10 * mib,
    });
  const { usableHeadroom } = reportOf(10, () => [
    mapping(100, 'browser'),
    mapping(110, 'renderer'),
  ]);
  // 824 MiB available, of which twice 60 MiB are the browser's program.
  expect(usableHeadroom).toMatchObject({
    unusedBytes: 824 * mib,
    mappedFileBytes: 120 * mib,
    usableBytes: 704 * mib,
    notUsableBytes: 120 * mib,
  });
});
