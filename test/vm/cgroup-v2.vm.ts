import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { kernelKills } from './kernel-log.ts';
import { Recordings } from './recordings.ts';
import { VirtualMachine } from './virtual-machine.ts';

// The session's cgroup may have more than the one above it.
const limitBytes = 250 * 2 ** 20;
const makeGroups = `
  pass_on $groups; mkdir $groups/parent; pass_on $groups/parent
  mkdir $groups/parent/own; echo 250M >$groups/parent/memory.max
  echo 400M >$groups/parent/own/memory.max; echo 0 >$groups/parent/own/memory.swap.max`;

let machine: VirtualMachine;
const recordings = new Recordings();

beforeAll(async () => {
  machine = await VirtualMachine.start();
  await machine.text(makeGroups);
});
beforeEach(async () => {
  await machine.text('dmesg -c >/dev/null');
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  recordings[Symbol.dispose]();
});

test('doctor: the limit of the parent binds, and everything can be read', async () => {
  const examination = JSON.parse(await machine.text('in_group parent/own headroom doctor --json'));
  expect(examination.limit).toEqual({ bytes: limitBytes, source: 'cgroup_v2' });
  const { capabilities } = examination;
  const told = Object.fromEntries(
    capabilities.map(({ name, status, detail }: Record<string, string>) => [
      name,
      `${status}: ${detail}`,
    ]),
  );
  expect(told).toMatchObject({
    'memory cgroup': 'ok: version 2, /parent, with a limit of 250 MiB',
    'pressure (PSI)': 'ok: memory, cpu and io',
    'kernel log': 'ok: /dev/kmsg, from its oldest record',
    'OOM kill counter': 'ok: 0 since boot',
    'process exits': 'ok: exit code or signal of every process (process connector)',
    'self-protection': 'ok: oom_score_adj lowered from 0 to -500, niceness lowered from 0 to -5',
  });
});

test('a quiet session: charge, working set and pressure are those of the files', async () => {
  await machine.text('in_group parent/own headroom record --quiet --for 6s --out quiet.db');
  const files = await machine.text(
    'cd $groups/parent; cat memory.current; grep -E "^(inactive_file|anon|kernel) " memory.stat',
  );
  const [current = Number.NaN, ...figures] = files.match(/\d+/g)?.map(Number) ?? [];
  await recordings.reportOf(machine, 'quiet.db');
  const last = recordings.ticks('quiet.db').at(-1);
  expect(last?.cgroup).toMatchObject({ version: 2, path: '/parent', limitBytes, swapBytes: 0 });
  expect(figures).toHaveLength(3);
  // The recorder has ended since.
  expect(last?.cgroup?.chargedBytes).toBeGreaterThan(current);
  expect(last?.cgroup?.chargedBytes).toBeLessThan(current + 100 * 2 ** 20);
  expect(last?.cgroup?.kernelBytes).toBeGreaterThan(0);
  expect(last?.pressure.memorySomeMs).not.toBeNull();
});

test('a kill by the limit of the parent', async () => {
  const { code } = await machine.run(
    'in_group parent/own headroom record --quiet --out kill.db -- /chromium/chromium /guest/browser.pl 600 30',
  );
  expect(code).toBe(137);
  const [kill, ...others] = await kernelKills(machine);
  expect(others).toEqual([]);
  const peak = Number(await machine.text('cat $groups/parent/memory.peak'));
  expect(await machine.text('grep -E "^oom_kill " $groups/parent/memory.events')).toBe(
    'oom_kill 1',
  );

  const report = await recordings.reportOf(machine, 'kill.db');
  expect(report.memory).toMatchObject({ limitBytes, limitSource: 'cgroup_v2' });
  expect(report.memory.peakBytes).toMatchObject({ value: peak, source: 'memory.peak' });
  expect(report.oomCounts).toMatchObject({ machine: 1, cgroup: 1, recorded: 1, withoutRecord: 0 });
  expect(report.oomKills).toMatchObject([
    { pid: kill?.pid, comm: 'chromium', role: 'renderer', rssBytes: kill?.rssBytes },
  ]);
  expect(report.oomKills).toMatchObject([
    { scope: 'cgroup', cgroup: '/parent', limitBytes, inSession: true },
  ]);
  expect(report.verdict.kind).toBe('kernel_oom');
  expect(report.deaths[0]).toMatchObject({
    pid: kill?.pid,
    signal: 'SIGKILL',
    certainty: 'recorded',
  });
  const sampled = report.processes.find(({ pid }: { pid: number }) => pid === kill?.pid);
  expect(Math.abs(sampled.peakRssBytes / (kill?.rssBytes ?? 0) - 1)).toBeLessThan(0.05);
  const stored = recordings.events('kill.db').find((event) => event.kind === 'oom_kill');
  expect(stored).toMatchObject({ constraint: 'CONSTRAINT_MEMCG', taskCgroup: '/parent/own' });
});

test('memory.oom.group: one kill ends the whole group', async () => {
  await machine.text(`
    mkdir $groups/parent/group; echo 60M >$groups/parent/group/memory.max
    echo 0 >$groups/parent/group/memory.swap.max; echo 1 >$groups/parent/group/memory.oom.group
    in_group parent/own headroom record --quiet --out group.db & recorder=$!
    until_samples group.db 3
    (in_group parent/group /chromium/chromium /guest/browser.pl 300 15)
    sleep 3; kill $recorder; wait $recorder`);
  const kills = await kernelKills(machine);
  const pids = [...new Set(kills.map(({ pid }) => pid))];
  expect(pids).toHaveLength(3);
  const report = await recordings.reportOf(machine, 'group.db');
  expect(report.oomKills.map(({ pid }: { pid: number }) => pid).toSorted()).toEqual(
    pids.toSorted(),
  );
  // The kernel counts and prints the first victim twice.
  expect(kills).toHaveLength(4);
  expect(report.oomCounts).toMatchObject({ recorded: 3, withoutRecord: 0 });
  // The group is named by the kernel after the first of them.
  const groups = report.oomKills.map(({ oomGroup }: { oomGroup: string | null }) => oomGroup);
  expect(groups).toEqual([null, '/parent/group', '/parent/group']);
  for (const kill of report.oomKills) {
    expect(kill).toMatchObject({ cgroup: '/parent/group', limitBytes: 60 * 2 ** 20 });
  }
});

test('swap to zram: of the cgroup, the machine and the process', async () => {
  const files = await machine.text(`
    echo 256M >/sys/block/zram0/disksize; mkswap /dev/zram0 >/dev/null; swapon /dev/zram0
    mkdir $groups/swapping; echo 100M >$groups/swapping/memory.max; echo 200M >$groups/swapping/memory.swap.max
    (in_group swapping headroom record --quiet --out swap.db -- sh -c '
      /chromium/chromium /guest/grow.pl 120 12 --no-sandbox &
      until [ "$(awk "/VmSwap/ { print \\$2 }" /proc/$!/status)" -gt 25000 ]; do sleep 1; done; sleep 5
      grep VmSwap /proc/$!/status
      cat /sys/fs/cgroup/swapping/memory.swap.current; kill $!')
    swapoff /dev/zram0`);
  const [ofProcessKb = 0, ofCgroup = 0] = files.match(/\d+/g)?.map(Number) ?? [];
  expect(ofProcessKb).toBeGreaterThan(20_000);
  await recordings.reportOf(machine, 'swap.db');
  const most = recordings.ticks('swap.db').toSorted(bySwap).at(-1);
  const { cgroup, machine: whole } = most ?? {};
  expect(cgroup?.swapBytes).toBeGreaterThan(0.8 * ofCgroup);
  expect(cgroup?.swapBytes).toBeLessThan(1.2 * ofCgroup);
  expect(whole?.swapTotalBytes).toBeGreaterThan(255 * 2 ** 20);
  expect(whole?.zramBytes).toBeGreaterThan(0);
});

test('memory.high below the limit binds: it is the limit, and the stall is that of the kernel', async () => {
  const stalled = 'grep -o "total=.*" $groups/high/memory.pressure';
  const files = await machine.text(`
    mkdir $groups/high; echo 120M >$groups/high/memory.high; echo 300M >$groups/high/memory.max
    echo 0 >$groups/high/memory.swap.max
    (in_group high /chromium/chromium /guest/grow.pl 600 40 --no-sandbox) & load=$!
    in_group high headroom record --quiet --out high.db & recorder=$!
    until grep -Eq '^high [0-9]{3}' $groups/high/memory.events; do sleep 1; done; sleep 15
    ${stalled}; kill $recorder; wait $recorder; ${stalled}; grep -E "^(high|max|oom_kill) " $groups/high/memory.events
    cat $groups/high/memory.peak; kill -9 $load; wait`);
  const figures = files.match(/\d+/g)?.map(Number) ?? [];
  const [someFromUs = 0, fullFromUs = 0, someToUs = 0, fullToUs = 0, ...counts] = figures;
  const [high = 0, max, kills, peak = 0] = counts;
  // Throttled by the kernel's own count, and nothing came to memory.max.
  expect(high).toBeGreaterThan(100);
  expect([max, kills]).toEqual([0, 0]);
  const report = await recordings.reportOf(machine, 'high.db');
  expect(report.memory).toMatchObject({ limitBytes: 120 * 2 ** 20, limitSource: 'cgroup_v2' });
  expect(report.memory.peakBytes).toMatchObject({ source: 'memory.peak' });
  expect(report.memory.peakBytes.value).toBeLessThanOrEqual(peak);
  expect(['memory_stall', 'pressure']).toContain(report.verdict.kind);
  // Its last sample is between the two readings of the file.
  const last = recordings.ticks('high.db').at(-1)?.pressure;
  expect(last?.memorySomeMs).toBeGreaterThanOrEqual(Math.floor(someFromUs / 1000));
  expect(last?.memorySomeMs).toBeLessThanOrEqual(someToUs / 1000);
  expect(last?.memoryFullMs).toBeGreaterThanOrEqual(Math.floor(fullFromUs / 1000));
  expect(last?.memoryFullMs).toBeLessThanOrEqual(fullToUs / 1000);
  expect(fullFromUs).toBeGreaterThan(0);
});

function bySwap(
  a: { cgroup: { swapBytes: number | null } | null },
  b: { cgroup: { swapBytes: number | null } | null },
): number {
  return (a.cgroup?.swapBytes ?? 0) - (b.cgroup?.swapBytes ?? 0);
}
