import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { CpuCgroup } from '../support/cpu-cgroup.ts';
import { startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { MemoryCgroup } from '../support/memory-cgroup.ts';
import { expectNothingLostSilently, tickCountOfSchedule } from '../support/recorded-schedule.ts';
import { untilRecorded } from '../support/until-recorded.ts';

const main = fileURLToPath(new URL('../../dist/cli/headroom.cjs', import.meta.url));
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

describe('a recorder with too little memory', () => {
  // Of its own, so that all of its pages are charged to the cgroup, and none is in memory already.
  const node = folder.file('node');

  beforeAll(() => copyFileSync(process.execPath, node));

  test.each([64, 48])('%i MiB with its program: no tick is lost silently', async (mebibytes) => {
    const file = folder.file(`${mebibytes}.db`);
    const limitBytes = mebibytes * 2 ** 20;
    const cgroup = new MemoryCgroup(`headroom-starved-${process.pid}`);
    cgroup.create(limitBytes);
    try {
      dropFromPageCache(node);
      const args = ['record', '--quiet', '--interval', '250ms', '--for', '6s', '--out', file];
      const command = [cgroup.procsFile, node, main, ...args];
      expect(await exitOf('/bin/sh', ['-c', 'echo $$ > "$0" && exec "$@"', ...command])).toEqual([
        0,
        null,
      ]);
    } finally {
      cgroup.remove();
    }
    using recording = openRecording(file);
    expect(recording.facts.endReason).toBe('duration');
    expect(recording.facts.machine.limitBytes).toBe(limitBytes);
    expectNothingLostSilently(recording);
    console.log(
      `${mebibytes} MiB: ${recording.tickCount()} samples, ${recording.lastTick()?.collector.missedTickCount} missed`,
    );
  });
});

test('a recorder that gets 1 % of a core for 4 s: no tick is lost silently', async () => {
  const file = folder.file('throttled.db');
  const cgroup = new CpuCgroup(`headroom-throttled-${process.pid}`);
  cgroup.create(0.01);
  try {
    const args = ['record', '--quiet', '--interval', '100ms', '--for', '8s', '--out', file];
    const { child, result } = startCli(args);
    await untilRecorded(file);
    cgroup.add(child.pid ?? 0);
    await sleep(4_000);
    cgroup.lift();
    expect((await result).exitCode).toBe(0);
  } finally {
    cgroup.remove();
  }
  using recording = openRecording(file);
  expectNothingLostSilently(recording);
  // Seconds 0 to 8, ten times a second.
  expect(tickCountOfSchedule(recording)).toBe(81);
  console.log(
    `1 % of a core: ${recording.tickCount()} samples, ${recording.lastTick()?.collector.missedTickCount} missed`,
  );
  expect(recording.lastTick()?.collector.missedTickCount).toBeGreaterThan(5);
});

function exitOf(program: string, args: readonly string[]): Promise<[number | null, string | null]> {
  const child = spawn(program, args, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve([code, signal]));
  });
}

function dropFromPageCache(file: string): void {
  const args = [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0'];
  execFileSync('dd', args, { stdio: 'ignore' });
}
