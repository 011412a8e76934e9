import { afterAll, beforeAll, expect, test } from 'vitest';
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

// Of 70 s each: one grows by a MiB a second, two stay where they are; one of 3 s says nothing of it.
beforeAll(async () => {
  const seconds = Array.from({ length: 70 }, (_, second) => second);
  const make = (id: string, usedMib: number[], startHour: number) =>
    fleetRecording(folder.file(`${id}.db`), { id, usedMib, startHour, labels: { id } });
  make(
    'growing',
    seconds.map((second) => 300 + second),
    0,
  );
  make(
    'steady',
    seconds.map(() => 500),
    1,
  );
  make(
    'loading',
    seconds.map((second) => Math.min(400, 200 + 20 * second)),
    2,
  );
  make('short', [300, 310, 320], 3);
  await runInTest(fleetImportCommand, folder.path, ...data);
});

test('size and fleet size: the same answer, and it says of which sessions it speaks', async () => {
  const direct = await runInTest(sizeCommand, folder.path, '--json');
  const fleet = await runInTest(fleetSizeCommand, '--json', ...data);
  expect(JSON.parse(fleet.stdout)).toEqual(JSON.parse(direct.stdout));
  expect(JSON.parse(fleet.stdout)).toMatchObject({
    sessions: 4,
    growing: 1,
    growthUnknown: 1,
    tiers: [
      { sessionsFit: 4, sessionsOutgrowing: 1 },
      // 24 times 69 s at that pace: 369 + 1656 MiB.
      { sessionsFit: 4, sessionsOutgrowing: 0 },
      { sessionsFit: 4, sessionsOutgrowing: 0 },
    ],
    recommendation: { onlyForThisLength: true },
  });
  // 0.05^(1/4) = 47.3 %: more than the 40 % that are asked.
  const text = await runInTest(sizeCommand, folder.path, '--fit', '0.4');
  expect(text.stdout).toMatch(/^1 GiB fits 40 % of sessions as long as these\n/);
  expect(text.stdout.replace(/\s+/g, ' ')).toContain(
    '4 of 4 fit in 1 GiB: at least 47 % at 95 % confidence; 1 of them still grew when its recording ended, and would not fit for long at that pace: this is said of sessions that last as long as these, and what longer ones need is not known.',
  );
  expect(text.stdout.replace(/\s+/g, ' ')).toContain(
    'Whether it still grew is not known of 1 session: shorter than a minute or with gaps, without running into the limit at the end; or imported by an earlier version.',
  );
});

test('fleet report counts them, fleet top names them', async () => {
  const report = await runInTest(fleetReportCommand, '--by', 'id', '--json', ...data);
  const { growing, growthUnknown, groups } = JSON.parse(report.stdout);
  expect([growing, growthUnknown]).toEqual([1, 1]);
  expect(
    groups.map((group: Record<string, unknown>) => [group['value'], group['growing']]),
  ).toEqual([
    ['growing', 1],
    ['loading', 0],
    ['short', 0],
    ['steady', 0],
  ]);
  const text = await runInTest(fleetReportCommand, ...data);
  expect(text.stdout.replace(/\s+/g, ' ')).toContain('4 healthy, no gaps, 1 still grew at the end');
  const top = await runInTest(fleetTopCommand, '--order', 'growth', '--count', '1', ...data);
  expect(top.stdout).toContain('1. healthy: 369 MiB of 978 MiB');
  expect(top.stdout.replace(/\s+/g, ' ')).toContain(
    'still growing by 60.0 MiB a minute at its end',
  );
  const json = await runInTest(fleetTopCommand, '--order', 'growth', '--json', ...data);
  expect(JSON.parse(json.stdout).sessions[0]).toMatchObject({
    id: 'growing',
    growth: { bytesPerMinute: 60 * mib, aheadMs: 24 * 69_000 },
  });
});

test('fleet top by what no session has names none, and says so', async () => {
  for (const [order, words] of [
    ['gaps', 'None of 4 sessions has a gap\n'],
    ['oom', 'None of 4 sessions had an OOM kill\n'],
  ] as const) {
    const top = await runInTest(fleetTopCommand, '--order', order, ...data);
    expect(top).toMatchObject({ exitCode: 0, stdout: words });
  }
  const steady = await runInTest(
    fleetTopCommand,
    ...['--order', 'growth', '--where', 'id=steady', ...data],
  );
  expect(steady.stdout).toBe('None of 1 session still grew when its recording ended\n');
  const json = await runInTest(fleetTopCommand, '--order', 'gaps', '--json', ...data);
  expect(JSON.parse(json.stdout)).toEqual({
    schemaVersion: 1,
    of: 4,
    order: 'gaps',
    sessions: [],
  });
});

test('fleet top: a command that can be pasted, whatever the file is called', async () => {
  using other = temporaryFolder();
  const file = other.file("it's $(x)\n.db");
  fleetRecording(file, { id: 'odd', usedMib: [300, 310] });
  const where = ['--data', other.file('fleet')];
  await runInTest(fleetImportCommand, other.path, ...where);
  const top = await runInTest(fleetTopCommand, ...where);
  expect(top.stdout).toContain(`   headroom report $'${other.path}/it\\'s $(x)\\012.db'\n`);
});

test('fleet report: a long value of a label leaves the lines short, and is whole in the JSON', async () => {
  using other = temporaryFolder();
  const url = `https://${'x'.repeat(200)}`;
  fleetRecording(other.file('a.db'), { id: 'a', usedMib: [300], labels: { url } });
  const where = ['--by', 'url', '--data', other.file('fleet')];
  await runInTest(fleetImportCommand, other.path, ...where.slice(2));
  const text = await runInTest(fleetReportCommand, ...where);
  expect(text.stdout).toContain(`\n  https://${'x'.repeat(31)}…  `);
  const json = await runInTest(fleetReportCommand, '--json', ...where);
  expect(JSON.parse(json.stdout).groups[0].value).toBe(url);
});
