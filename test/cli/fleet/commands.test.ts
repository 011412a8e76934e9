import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/command.ts';
import { fleetDiffCommand } from '../../../src/cli/fleet/diff.ts';
import { fleetImportCommand } from '../../../src/cli/fleet/import.ts';
import { fleetReportCommand } from '../../../src/cli/fleet/report.ts';
import { fleetSizeCommand } from '../../../src/cli/fleet/size.ts';
import { fleetTopCommand } from '../../../src/cli/fleet/top.ts';
import { sizeCommand } from '../../../src/cli/size.ts';
import { mib } from '../../support/fake-sample.ts';
import { fleetRecording } from '../../support/fleet-recordings.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { runInTest } from '../../support/run-command.ts';

const folder = temporaryFolder();
const data = ['--data', folder.file('fleet')];
afterAll(() => folder[Symbol.dispose]());

// Ten sessions, alternately of two versions; the second needs 100 MiB more; one of it is killed.
beforeAll(async () => {
  for (let at = 0; at < 10; at++) {
    const isSecond = at % 2 === 1;
    fleetRecording(folder.file(`${at}.db`), {
      id: `session-${at}`,
      labels: { workload: at < 6 ? 'shop' : 'search', version: isSecond ? '1.10' : '1.9' },
      usedMib: [200, 300 + 3 * ((at * 7) % 10) + (isSecond ? 100 : 0)],
      startHour: at,
    });
  }
  fleetRecording(folder.file('killed.db'), {
    id: 'killed',
    labels: { workload: 'shop', version: '1.10' },
    usedMib: [500, 970],
    isKilled: true,
    startHour: 11,
  });
  fs.writeFileSync(folder.file('damaged.db'), '<html>');
  await runInTest(fleetImportCommand, folder.path, ...data);
});

test('fleet size: the very answer of size over the same recordings', async () => {
  const fleet = await runInTest(fleetSizeCommand, '--by', 'workload', '--json', ...data);
  const direct = await runInTest(sizeCommand, folder.path, '--by', 'workload', '--json');
  expect(fleet.exitCode).toBe(0);
  const [ofFleet, ofFiles] = [JSON.parse(fleet.stdout), JSON.parse(direct.stdout)];
  expect(ofFleet).toEqual(ofFiles);
  // The newest version needs more: those of the other one are left out.
  expect(ofFleet).toMatchObject({
    sessions: 6,
    censored: 1,
    skipped: [{ code: 'FILE_NOT_A_DATABASE' }],
  });
});

test('fleet size by what is no label of the recordings', async () => {
  const where = ['--where', 'version=1.9'];
  const run = await runInTest(fleetSizeCommand, '--by', 'day', ...where, '--json', ...data);
  const { groups } = JSON.parse(run.stdout);
  expect(groups.map(({ value, sessions }: Record<string, unknown>) => [value, sessions])).toEqual([
    ['2026-11-29', 5],
  ]);
});

test('fleet top: the killed one first, then by what was left; each with its recording', async () => {
  const run = await runInTest(fleetTopCommand, '--count', '3', '--json', ...data);
  const { of, sessions } = JSON.parse(run.stdout);
  expect([run.exitCode, of]).toEqual([0, 11]);
  expect(sessions).toMatchObject([
    { id: 'killed', file: folder.file('killed.db'), verdict: 'kernel_oom', isCensored: true },
    // 300 + 27 + 100 and 300 + 21 + 100 MiB.
    {
      id: 'session-7',
      demandBytes: 427 * mib,
      headroomMinBytes: 551 * mib,
      utilizationMaxRatio: 427 / 978,
    },
    { id: 'session-1', file: folder.file('1.db') },
  ]);
  const text = await runInTest(fleetTopCommand, '--count', '1', ...data);
  expect(text.stdout.split('\n').slice(0, 3)).toEqual([
    'The worst 1 of 11 sessions',
    '',
    '1. kernel_oom: at least 970 MiB of 978 MiB',
  ]);
  expect(text.stdout).toContain('   headroom down to 8.00 MiB, ');
  expect(text.stdout).toContain(`   headroom report ${folder.file('killed.db')}\n`);
});

test('fleet diff: the second version needs more', async () => {
  const run = await runInTest(fleetDiffCommand, 'version=1.9', 'version=1.10', '--json', ...data);
  expect(run.exitCode).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({
    schemaVersion: 1,
    verdict: 'more',
    a: { sessions: 5, censored: 0 },
    b: { sessions: 6, censored: 1 },
    moreLikely: 1,
    confidence: 0.95,
    margin: 0.05,
  });
  const args = ['version=1.9', 'version=1.10', '--fail-if-more', ...data];
  const failing = await runInTest(fleetDiffCommand, ...args);
  expect(failing.exitCode).toBe(1);
  expect(failing.stdout).toContain('B needs more memory than A');
});

test('fleet diff: too few to tell, and nothing to compare', async () => {
  const where = ['--where', 'workload=search'];
  const few = await runInTest(fleetDiffCommand, 'version=1.9', 'version=1.10', ...where, ...data);
  expect(few.exitCode).toBe(0);
  expect(few.stdout).toContain('Cannot tell: too few sessions, compare at least 4 in each group');
  const none = await runInTest(fleetDiffCommand, 'version=1.9', 'version=2', ...data);
  expect(none.exitCode).toBe(1);
  expect(none.stdout).toContain('No session of B: nothing to compare');
});

test('fleet diff: the same group twice', async () => {
  const run = await runInTest(fleetDiffCommand, 'version=1.9', 'version=1.9', ...data);
  expect(run.exitCode).toBe(1);
  expect(run.stdout).toMatch(/^Every session is in both groups/);
});

test('no session matches', async () => {
  const args = ['--where', 'version=2', ...data];
  for (const command of [fleetReportCommand, fleetTopCommand, fleetSizeCommand]) {
    const { exitCode, stdout, stderr } = await runInTest(command, ...args);
    expect(exitCode).toBe(1);
    expect(`${stdout}${stderr}`.toLowerCase()).toContain('no session matches');
  }
});

test('a file instead of the folder of a data set', async () => {
  const file = ['--data', folder.file('0.db')];
  for (const command of [fleetReportCommand, fleetTopCommand, fleetSizeCommand]) {
    await expect(runInTest(command, ...file)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  }
  const importing = runInTest(fleetImportCommand, folder.path, ...file);
  await expect(importing).rejects.toThrow('a file where a folder is to be');
});

test.each([
  [fleetReportCommand, ['version=1.9'], '--where'],
  [fleetTopCommand, ['version=1.9'], '--where'],
  [fleetSizeCommand, ['version=1.9'], '--where'],
  [fleetDiffCommand, ['version=1'], 'two'],
  [fleetDiffCommand, ['version', 'version=2'], 'A takes'],
  [fleetDiffCommand, ['version=1', 'version=2', '--margin', '2'], '--margin'],
  [fleetTopCommand, ['--count', '0'], '--count'],
  [fleetTopCommand, ['--order', 'age'], '--order'],
  [fleetSizeCommand, ['--fit', '1'], '--fit'],
] as const)('%o %j makes no sense', async (command, args, named) => {
  const failed = runInTest(command, ...args, ...data);
  await expect(failed).rejects.toThrow(UsageError);
  await expect(failed).rejects.toThrow(named);
});
