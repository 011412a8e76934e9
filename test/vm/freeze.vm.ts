import { afterAll, beforeAll, expect, test } from 'vitest';
import { Recordings } from './recordings.ts';
import { VirtualMachine } from './virtual-machine.ts';

let machine: VirtualMachine;
const recordings = new Recordings();

beforeAll(async () => {
  machine = await VirtualMachine.start();
  await machine.text('pass_on $groups; mkdir $groups/recorder $groups/load');
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  recordings[Symbol.dispose]();
});

/** Freezes a cgroup for 15 s and longer; it prints when by the kernel's own word, and when it was let go. */
function freeze(group: string): string {
  return `echo 1 >$groups/${group}/cgroup.freeze
    until grep -q 'frozen 1' $groups/${group}/cgroup.events; do sleep 1; done
    echo frozen $(date +%s); sleep 15; echo thawed $(date +%s); echo 0 >$groups/${group}/cgroup.freeze`;
}

function frozenMs(told: string): { fromUnixMs: number; toUnixMs: number } {
  const [from, to] = ['frozen', 'thawed'].map((word) =>
    Number(new RegExp(`^${word} (\\d+)$`, 'm').exec(told)?.[1]),
  );
  return { fromUnixMs: 1000 * (from ?? Number.NaN), toUnixMs: 1000 * (to ?? Number.NaN) };
}

test('a recorder that is frozen by its cgroup: one stall over all of it', async () => {
  const told = await machine.text(`
    in_group recorder headroom record --quiet --out frozen.db & recorder=$!
    until_samples frozen.db 4; ${freeze('recorder')}; sleep 6; kill $recorder; wait $recorder`);
  const { fromUnixMs, toUnixMs } = frozenMs(told);
  const { coverage, verdict, deaths } = await recordings.reportOf(machine, 'frozen.db');
  expect(recordings.clockGaps('frozen.db')).toEqual([]);
  const over = coverage.gaps.filter(
    (gap: { fromUnixMs: number; toUnixMs: number }) =>
      gap.fromUnixMs < fromUnixMs + 1000 && gap.toUnixMs >= toUnixMs,
  );
  expect(over).toMatchObject([{ kind: 'stall' }]);
  expect(over[0].missingMs).toBeGreaterThanOrEqual(toUnixMs - fromUnixMs - 1000);
  // How many depends on the distance that it could afford.
  expect(coverage.missedTicks).toBeGreaterThan(0);
  expect([verdict.kind, deaths]).toEqual(['healthy', []]);
});

test('a browser that is frozen by its cgroup: its processes are there, take no CPU and have not died', async () => {
  const ticks = `for pid in $pids; do awk '{ print "cpu", $1, $14 + $15 }' /proc/$pid/stat; done`;
  const told = await machine.text(`
    headroom record --quiet --out load.db & recorder=$!
    (in_group load /chromium/chromium /guest/browser.pl 40 400) & until_samples load.db 6
    pids=$(cat $groups/load/cgroup.procs); ${freeze('load')}; ${ticks}; sleep 6
    kill $recorder; wait $recorder; kill -9 $pids; wait`);
  const { fromUnixMs, toUnixMs } = frozenMs(told);
  const kernel = [...told.matchAll(/^cpu (\d+) (\d+)$/gm)].map(([, pid, cpu]) => ({
    pid: Number(pid),
    cpuMs: 10 * Number(cpu),
  }));
  expect(kernel).toHaveLength(3);
  const report = await recordings.reportOf(machine, 'load.db');
  expect(report.deaths).toEqual([]);
  expect(report.verdict.kind).toBe('healthy');
  for (const { pid, cpuMs } of kernel) {
    const ended = recordings.processes('load.db').filter((process) => process.pid === pid);
    expect(ended).toMatchObject([{ endedUnixMs: null }]);
    // A row is written when there is something new; each clock is right to a second.
    const rows = recordings.processSamples('load.db', pid);
    const before = rows.filter(({ timeUnixMs }) => timeUnixMs <= toUnixMs - 1000);
    expect(before.length).toBeGreaterThan(0);
    expect(Math.max(...before.map((row) => row.cpuMs))).toBeLessThanOrEqual(cpuMs);
    const within = before.filter(({ timeUnixMs }) => timeUnixMs >= fromUnixMs + 2000);
    expect(within.filter((row) => row.cpuMs !== cpuMs)).toEqual([]);
  }
});
