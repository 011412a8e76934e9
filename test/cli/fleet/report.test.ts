import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/command.ts';
import { fleetImportCommand } from '../../../src/cli/fleet/import.ts';
import { fleetReportCommand } from '../../../src/cli/fleet/report.ts';
import { mib } from '../../support/fake-sample.ts';
import { fleetRecording } from '../../support/fleet-recordings.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { runInTest } from '../../support/run-command.ts';

const folder = temporaryFolder();
const data = folder.file('fleet');
afterAll(() => folder[Symbol.dispose]());

// Four sessions of a second and one, two of each workload; the last one is killed.
beforeAll(async () => {
  const make = (id: string, workload: string, usedMib: number[], more = {}) =>
    fleetRecording(folder.file(`${id}.db`), { id, labels: { workload }, usedMib, ...more });
  make('a', 'shop', [200, 300, 400]);
  make('b', 'shop', [250, 350, 500], { startHour: 24 });
  make('c', 'search', [100, 120]);
  make('d', 'search', [600, 970], { isKilled: true, startHour: 25 });
  await runInTest(fleetImportCommand, folder.path, '--data', data);
});

async function json(...args: string[]) {
  const { stdout } = await runInTest(fleetReportCommand, '--data', data, '--json', ...args);
  return JSON.parse(stdout);
}

test('the whole fleet: peaks over sessions, the killed one above all; the rest over time', async () => {
  const report = await json();
  expect(report).toMatchObject({
    schemaVersion: 1,
    sessions: 4,
    recordedMs: 10_000,
    censored: 1,
    // 120, 400, 500 and one that is not known.
    peakBytes: { p50: 400 * mib, p90: null, p95: null, p99: null, max: null },
    availableMinBytes: 8 * mib,
    oom: { kills: 1, sessions: 1, ratio: 0.25 },
    verdicts: { healthy: 3, kernel_oom: 1 },
    gaps: { count: 0, sessions: 0, missingMs: 0 },
    groups: [],
  });
  // Clopper and Pearson, two-sided at 95 %, 1 of 4: 0.0063 to 0.8059 (R: binom.test(1, 4)).
  expect(report.oom.low).toBeCloseTo(0.00631, 5);
  expect(report.oom.high).toBeCloseTo(0.80588, 5);
});

test('percentiles over time are the exact ones, within the error of a sketch', async () => {
  // Ten seconds: 100 120 200 250 300 350 400 500 600 970; ranks 5, 9, 10, 10.
  const { workingSetBytes, utilizationRatio } = await json();
  for (const [of, scale] of [
    [workingSetBytes, mib],
    [utilizationRatio, 1 / 978],
  ] as const) {
    expect(Math.abs(of.p50 / (300 * scale) - 1)).toBeLessThan(0.011);
    expect(Math.abs(of.p90 / (600 * scale) - 1)).toBeLessThan(0.011);
    expect(Math.abs(of.p95 / (970 * scale) - 1)).toBeLessThan(0.011);
    expect(of.max / (970 * scale)).toBeCloseTo(1, 12);
  }
});

test('by labels, and by what is known without any', async () => {
  const { groups } = await json(
    ...['--by', 'workload', '--by', 'day', '--by', 'team', '--by', 'workload'],
  );
  const named = groups.map(({ label, value, sessions }: Record<string, unknown>) => [
    label,
    value,
    sessions,
  ]);
  expect(named).toEqual([
    ['workload', 'search', 2],
    ['workload', 'shop', 2],
    ['day', '2026-11-29', 2],
    ['day', '2026-11-30', 2],
    ['team', null, 4],
  ]);
  expect(groups[0]).toMatchObject({ censored: 1, peakBytes: { p50: 120 * mib, max: null } });
  expect(groups[1]).toMatchObject({ oom: { kills: 0 }, peakBytes: { p50: 400 * mib } });
});

test('--where takes those that fit all of it', async () => {
  expect(await json('--where', 'workload=shop')).toMatchObject({ sessions: 2 });
  expect(await json('--where', 'workload=shop,day=2026-11-30')).toMatchObject({ sessions: 1 });
  const args = ['--where', 'workload=none', '--data', data];
  const { exitCode, stdout } = await runInTest(fleetReportCommand, ...args);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('No session');
});

test('text: a line for all and one for each group', async () => {
  const args = ['--by', 'workload', '--data', data];
  const { exitCode, stdout } = await runInTest(fleetReportCommand, ...args);
  expect(exitCode).toBe(0);
  expect(stdout.split('\n').slice(0, 10)).toEqual([
    '4 sessions, 2026-11-29 to 2026-11-30, 10 s recorded',
    '  3 healthy, 1 kernel_oom, no gaps',
    '',
    '       sessions  peak p50    p95    max  in use p95       OOM killed  gaps',
    '  all         4   400 MiB  limit  limit        99 %  25 % (0.6–81 %)     0',
    '',
    'By workload',
    '          sessions  peak p50      p95      max  in use p95       OOM killed  gaps',
    '  search         2   120 MiB    limit    limit        99 %  50 % (1.3–99 %)     0',
    '  shop           2   400 MiB  500 MiB  500 MiB        51 %       0 (≤ 84 %)     0',
  ]);
});

test.each([
  [['--by', ''], '--by'],
  [['--where', 'shop'], '--where'],
])('%j makes no sense', async (args, named) => {
  const failed = runInTest(fleetReportCommand, '--data', data, ...args);
  await expect(failed).rejects.toThrow(UsageError);
  await expect(failed).rejects.toThrow(named);
});
