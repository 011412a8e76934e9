import { afterAll, beforeAll, expect, test } from 'vitest';
import { kernelKills } from './kernel-log.ts';
import { Recordings } from './recordings.ts';
import { VirtualMachine } from './virtual-machine.ts';

let machine: VirtualMachine;
const recordings = new Recordings();

beforeAll(async () => {
  machine = await VirtualMachine.start();
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  recordings[Symbol.dispose]();
});

test('the machine runs out of memory: the kill has no cgroup, and its process is known', async () => {
  const { code } = await machine.run(
    'dmesg -c >/dev/null; headroom record --quiet --out oom.db -- /chromium/chromium /guest/browser.pl 2000 60',
  );
  expect(code).toBe(137);
  const [kill, ...others] = await kernelKills(machine);
  expect(others).toEqual([]);
  const report = await recordings.reportOf(machine, 'oom.db');
  expect(report.memory.limitSource).toBe('machine');
  expect(report.oomCounts).toMatchObject({ machine: 1, recorded: 1, withoutRecord: 0 });
  expect(report.oomKills).toMatchObject([
    {
      pid: kill?.pid,
      role: 'renderer',
      rssBytes: kill?.rssBytes,
      scope: 'machine',
      inSession: true,
    },
  ]);
  const stored = recordings.events('oom.db').find((event) => event.kind === 'oom_kill');
  expect(stored).toMatchObject({ constraint: 'CONSTRAINT_NONE', cgroup: null });
  expect(report.verdict.kind).toBe('kernel_oom');
  expect(report.recorder.protection).toBe(
    'oom_score_adj lowered from 0 to -500, niceness lowered from 0 to -5',
  );
});
