import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { Recordings } from './recordings.ts';
import { VirtualMachine } from './virtual-machine.ts';

// A machine is reset, as by a host that fails, while a recorder and a session's collector run on a disk
// that outlives it; later it is rebooted in order.
let machine: VirtualMachine;
const folder = temporaryFolder();
const recordings = new Recordings();
const bootIds: string[] = [];
let syncedCount = 0;

beforeAll(async () => {
  const disk = folder.file('disk');
  // With a journal, which busybox does not make.
  execFileSync('mke2fs', ['-q', '-F', '-t', 'ext4', disk, '64M']);
  machine = await VirtualMachine.start({ disk });
  bootIds.push(await machine.text('cat /proc/sys/kernel/random/boot_id'));
  await machine.text(`headroom record --quiet --out /data/first.db >/dev/null 2>&1 &
    collector /data/c; until_samples /data/first.db 6; until_samples /data/c/recording.db 6; sync`);
  syncedCount = 6;
  // What comes now may be lost with the memory of the kernel.
  const upSeconds = await machine.text("sleep 5; cut -d' ' -f1 /proc/uptime");
  await boots(() => machine.monitor.ask('system_reset'));
  // By then its monotonic clock is ahead of all that was recorded in its life before.
  const isAhead = `awk '{ exit $1 < ${upSeconds} + 10 }' /proc/uptime`;
  await machine.run(`until ${isAhead}; do sleep 1; done`, 600_000);
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
  recordings[Symbol.dispose]();
});

test('reset: what had reached the disk is whole, and how it ended is not known', async () => {
  const first = await recordings.reportOf(machine, 'first.db', '/data/first.db');
  expect(first.session).toMatchObject({ endReason: 'lost', endedUnixMs: null, isLive: false });
  expect(first.session.machine.bootId).toBe(bootIds[0]);
  expect(first.verdict).toMatchObject({
    kind: 'unknown',
    summary: expect.stringContaining('where the recording breaks off'),
  });
  expect(first.deaths).toEqual([]);
  expect(recordings.ticks('first.db').length).toBeGreaterThanOrEqual(syncedCount);
  expectWhole('first.db');
  expect((await runCli('verify', recordings.file('first.db'))).exitCode).toBe(0);
  const again = await machine.run('headroom record --quiet --for 1s --out /data/first.db');
  expect(again).toMatchObject({ code: 1, output: expect.stringContaining('FILE_EXISTS') });
});

test('the collector goes on in its recording: a gap of the kind restart, nothing joined', async () => {
  const file = '/data/c/recording.db';
  const forks = "awk '/^processes/ { print $2 }' /proc/stat";
  const counted = await machine.text(
    `${forks}; collector /data/c; sleep 25; kill $!; wait $!; ${forks}`,
  );
  const [forksFrom = 0, forksTo = 0] = counted.split('\n').map(Number);

  const report = await recordings.reportOf(machine, 'boots.db', file);
  const [gap, ...others] = recordings.clockGaps('boots.db');
  if (gap === undefined) throw new Error('there is no gap');
  expect([gap.gap, others]).toEqual(['restart', []]);
  expect(gap.monotonicMs).toBeGreaterThan(0);
  expect(report.session.machine.bootId).toBe(bootIds[1]);
  expectWhole('boots.db');

  // pid 1 and the threads of the kernel have the same pid, and the same tick of their start, in both.
  const all = recordings.processes('boots.db');
  const isBefore = ({ lastUnixMs }: { lastUnixMs: number }) => lastUnixMs <= gap.fromUnixMs;
  const isAfter = ({ firstUnixMs }: { firstUnixMs: number }) => firstUnixMs >= gap.toUnixMs;
  expect(all.filter((process) => !isBefore(process) && !isAfter(process))).toEqual([]);
  expect(all.filter(({ pid }) => pid === 1).map(isBefore)).toEqual([true, false]);
  expect(report.deaths).toEqual([]);

  // The kernel counts forks from its boot on.
  const ticks = recordings.ticks('boots.db').filter(({ timeUnixMs }) => timeUnixMs < gap.toUnixMs);
  const first = ticks[0]?.activity.forkCount ?? Number.NaN;
  const before = (ticks.at(-1)?.activity.forkCount ?? Number.NaN) - first;
  expect(before).toBeGreaterThanOrEqual(0);
  expect(report.coverage.forks.createdCount).toBeLessThanOrEqual(before + forksTo - forksFrom);
  const { recorder, processes } = report;
  const costs = [recorder, ...processes].map(({ cpuSeconds }) => cpuSeconds ?? 0);
  expect(costs.filter((seconds) => !(seconds >= 0))).toEqual([]);
});

test('a reboot in order: ended by a signal, with a sample of that moment, and another session', async () => {
  const ended = await machine.text(`headroom record --quiet --out /data/orderly.db & recorder=$!
    until_samples /data/orderly.db 5; date +%s; kill $recorder; wait $recorder; echo $?
    umount /data`);
  const [askedSeconds = 0, code] = ended.split('\n').map(Number);
  expect(code).toBe(0);
  await boots(() => machine.text('(sleep 1; reboot -f) >/dev/null 2>&1 &'));
  const report = await recordings.reportOf(machine, 'orderly.db', '/data/orderly.db');
  expect(report.session).toMatchObject({ machine: { bootId: bootIds[1] }, endReason: 'signal' });
  expect(report.coverage.lastUnixMs).toBeGreaterThanOrEqual(1000 * askedSeconds);
  expect(recordings.clockGaps('orderly.db')).toEqual([]);
  expect((await runCli('verify', recordings.file('orderly.db'))).exitCode).toBe(0);
  expect(report.session.id).not.toBe(recordings.facts('first.db').id);
});

/** Waits for the machine to come up again. */
async function boots(by: () => Promise<unknown>): Promise<void> {
  const before = machine.monitor.count('RESET');
  await by();
  const wait = { timeout: 120_000, interval: 500 };
  await vi.waitUntil(() => machine.monitor.count('RESET') > before, wait);
  await machine.untilReady();
  bootIds.push(await machine.text('cat /proc/sys/kernel/random/boot_id'));
  expect(new Set(bootIds).size).toBe(bootIds.length);
}

/** Numbered from 1 on, with none left out. */
function expectWhole(name: string): void {
  const sequences = recordings.ticks(name).map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, at) => at + 1));
}
