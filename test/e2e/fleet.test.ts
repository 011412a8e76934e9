import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FleetData } from '../../src/store/fleet/fleet-data.ts';
import { FleetMaker } from '../support/fleet-maker.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';

const count = 250;
const folder = temporaryFolder();
const recordings = folder.file('recordings');
const data = folder.file('fleet');
afterAll(() => folder[Symbol.dispose]());

beforeAll(() => {
  const maker = new FleetMaker(folder.path, 12);
  maker.make(path.join(recordings, 'day-1'), 150);
  maker.make(path.join(recordings, 'day-2'), count - 150);
  const [first = ''] = fs.readdirSync(path.join(recordings, 'day-1'));
  const whole = path.join(recordings, 'day-1', first);
  fs.copyFileSync(whole, path.join(recordings, 'copy.db'));
  const cut = fs.readFileSync(whole).subarray(0, 20_000);
  fs.writeFileSync(path.join(recordings, 'cut.db'), cut);
});

async function json(...args: string[]) {
  const { exitCode, stdout, stderr } = await runCli('fleet', ...args, '--data', data, '--json');
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout);
}

function sessionCount(): number {
  using fleet = new FleetData(data, 'read');
  return fleet.sessionCount();
}

test('an import that is killed goes on; a cut file is named, a copy is known', async () => {
  const { child, result } = startCli(['fleet', 'import', recordings, '--data', data]);
  await vi.waitFor(() => expect(sessionCount()).toBeGreaterThan(0), { timeout: 120_000 });
  child.kill('SIGKILL');
  await result;
  const before = sessionCount();
  const resumed = await json('import', recordings);
  // What was committed is passed over; on a fast machine that may be all of it.
  expect(resumed.outcomes.unchanged).toBeGreaterThanOrEqual(before);
  expect(resumed).toMatchObject({ files: count + 2, sessions: count });
  expect(resumed.leftOut).toMatchObject([
    { file: path.join(recordings, 'cut.db'), code: 'FILE_CORRUPT' },
  ]);
  const again = await json('import', recordings);
  expect(again.outcomes).toMatchObject({ imported: 0, replaced: 0, unchanged: count + 1 });
});

test('report, size, top and diff answer from it', async () => {
  const report = await json('report', '--by', 'workload');
  expect(report.sessions).toBe(count);
  // Every fiftieth is killed.
  expect(report).toMatchObject({ oom: { sessions: 5 }, verdicts: { kernel_oom: 5 } });
  expect(report.groups.map(({ value }: { value: string }) => value)).toEqual([
    'mail',
    'news',
    'shop',
  ]);
  const size = await json('size', '--tier', '8GiB', '--fit', '0.9');
  expect(size.skipped).toMatchObject([{ code: 'FILE_CORRUPT' }]);
  const top = await json('top', '--count', '5');
  for (const { verdict, file } of top.sessions) {
    expect(verdict).toBe('kernel_oom');
    expect(fs.existsSync(file)).toBe(true);
  }
  const diff = await json('diff', 'version=1.0', 'version=1.1');
  expect(diff.a.sessions + diff.b.sessions).toBe(count);
});

test('help of the group; what is no command of it, and a data set that is not there', async () => {
  const group = await runCli('fleet', '--help');
  expect(group).toMatchObject({ exitCode: 0, stderr: '' });
  for (const name of ['import', 'report', 'size', 'top', 'diff']) {
    expect(group.stdout).toContain(`  ${name} `);
  }
  expect(await runCli('fleet', 'sum')).toMatchObject({ exitCode: 2, stdout: '' });
  const none = await runCli('fleet', 'report', '--data', folder.file('none'));
  expect(none.exitCode).toBe(1);
  expect(none.stderr).toContain('[FILE_NOT_FOUND]');
});
