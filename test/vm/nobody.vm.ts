import { afterAll, beforeAll, expect, test } from 'vitest';
import { kernelKills } from './kernel-log.ts';
import { Recordings } from './recordings.ts';
import { VirtualMachine } from './virtual-machine.ts';

// A user without rights, on a machine whose kernel log only root may read, as Debian has it.
let machine: VirtualMachine;
const recordings = new Recordings();

beforeAll(async () => {
  machine = await VirtualMachine.start();
  await machine.text(`
    echo 1 >/proc/sys/kernel/dmesg_restrict; chmod 644 /dev/kmsg
    mkdir -m 777 nobody; pass_on $groups; mkdir $groups/theirs
    echo 80M >$groups/theirs/memory.max; echo 0 >$groups/theirs/memory.swap.max`);
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  recordings[Symbol.dispose]();
});

test('doctor says what nobody may not read', async () => {
  const { capabilities } = JSON.parse(await machine.text('as_nobody headroom doctor --json'));
  const statusOf = Object.fromEntries(
    capabilities.map(({ name, status }: { name: string; status: string }) => [name, status]),
  );
  // Before Linux 6.6 only CAP_NET_ADMIN may listen to the process connector.
  expect(statusOf).toMatchObject({
    'kernel log': 'no',
    'process exits': 'no',
    'OOM kill counter': 'ok',
  });
});

test("somebody else's kill: told by the counter, and that the log could not be read", async () => {
  await machine.text(`dmesg -c >/dev/null
    as_nobody headroom record --quiet --out nobody/theirs.db & recorder=$!
    until_samples nobody/theirs.db 3
    (in_group theirs /chromium/chromium /guest/browser.pl 300 20) || true
    sleep 3; kill $recorder; wait $recorder`);
  expect(await kernelKills(machine)).toHaveLength(1);
  const report = await recordings.reportOf(machine, 'theirs.db', '/tmp/nobody/theirs.db');
  expect(report.oomCounts).toMatchObject({ machine: 1, recorded: 0, withoutRecord: 1 });
  expect(report.oomKills).toEqual([]);
  const events = recordings.events('theirs.db');
  const counted = events.filter((event) => event.kind === 'oom_counter');
  expect(counted).toMatchObject([{ counter: 'machine', count: 1 }]);
  expect(events).toContainEqual(expect.objectContaining({ code: 'kmsg_unavailable' }));
  // Its cgroup is not that of the session.
  expect(report.verdict.kind).toBe('unknown');
  expect(report.verdict.evidence).toEqual(expect.arrayContaining(unrecorded));
});

test('its own kill: by the counter of its cgroup, and which process it was is not known', async () => {
  const { code } = await machine.run(`dmesg -c >/dev/null; echo 0 >$groups/theirs/cgroup.procs
    as_nobody headroom record --quiet --out nobody/own.db -- /chromium/chromium /guest/browser.pl 300 20`);
  expect(code).toBe(137);
  expect(await kernelKills(machine)).toHaveLength(1);
  const report = await recordings.reportOf(machine, 'own.db', '/tmp/nobody/own.db');
  expect(report.memory).toMatchObject({ limitBytes: 80 * 2 ** 20, limitSource: 'cgroup_v2' });
  expect(report.oomCounts).toMatchObject({ machine: 1, cgroup: 1, recorded: 0, withoutRecord: 1 });
  expect(report.oomKills).toEqual([]);
  expect(report.verdict).toMatchObject({
    kind: 'kernel_oom',
    summary: expect.stringContaining('which is not recorded'),
  });
  expect(report.verdict.evidence).toEqual(expect.arrayContaining(unrecorded));
});

const unrecorded = [
  '1 OOM kill on this kernel without a record (counter)',
  '1 renderer ended, by an OOM kill without a record or as when a tab is closed',
  'the kernel log could not be read: OOM kills are known by the counter alone',
];
