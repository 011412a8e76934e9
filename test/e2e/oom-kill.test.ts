import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KmsgReader } from '../../src/collector/kmsg/kmsg-reader.ts';
import { systemClock } from '../../src/collector/sampler.ts';
import type { OomKill } from '../../src/model/event.ts';
import { MemoryCgroup } from '../support/memory-cgroup.ts';

const limitBytes = 50 * 1024 * 1024;
const killCount = 5;

interface Death {
  pid: number;
  unixMs: number;
}

describe('real kills in a memory cgroup', () => {
  const reader = new KmsgReader({ startedMonotonicMs: systemClock.monotonicMs() });
  const deaths: Death[] = [];
  const kills: OomKill[] = [];
  const cgroup = new MemoryCgroup(`headroom-e2e-${process.pid}`);
  let countBefore: number;

  beforeAll(async () => {
    if (reader.unavailable !== null) {
      throw new Error(`needs to read /dev/kmsg, which fails with ${reader.unavailable}`);
    }
    cgroup.create(limitBytes);
    countBefore = cgroup.oomKillCount();
    // The kernel prints ten reports in 5 s and after that only kill lines: not part of this test.
    await sleep(5_200);
    for (let count = 0; count < killCount; count++) {
      const death = await eatMemory(cgroup);
      deaths.push(death);
      kills.push(...(await killsUpTo(reader, death.pid)));
    }
  });

  afterAll(() => {
    reader.close();
    cgroup.remove();
  });

  test('each is found once, in order, with the pid that died', () => {
    expect(ours(kills).map((kill) => kill.pid)).toEqual(deaths.map((death) => death.pid));
  });

  test('the cgroup counted as many', () => {
    expect(cgroup.oomKillCount() - countBefore).toBe(ours(kills).length);
  });

  test('who, where and why', () => {
    for (const kill of ours(kills)) {
      expect(kill).toMatchObject({
        comm: 'tail',
        scope: 'cgroup',
        constraint: 'CONSTRAINT_MEMCG',
        taskCgroup: kill.cgroup,
        triggerComm: 'tail',
        triggerPid: kill.pid,
        uid: process.getuid?.(),
        cgroupLimitBytes: limitBytes,
        tasksListed: 1,
        context: 'full',
        beforeStart: false,
      });
    }
  });

  test('RSS is within 5 % of the limit', () => {
    for (const kill of ours(kills)) {
      expect(kill.rssBytes).toBeGreaterThan(limitBytes * 0.95);
      expect(kill.rssBytes).toBeLessThan(limitBytes * 1.05);
    }
  });

  test('the time is within 2 s of the death', () => {
    const distancesMs = ours(kills).map((kill, index) =>
      Math.abs((kill.timeUnixMs ?? 0) - (deaths[index]?.unixMs ?? 0)),
    );
    expect(Math.max(...distancesMs)).toBeLessThan(2_000);
  });

  // Other tests and programs may be killed at the same time. In a container the kernel's path is longer.
  function ours(all: readonly OomKill[]): OomKill[] {
    return all.filter((kill) => kill.cgroup?.endsWith(cgroup.path));
  }
});

/** A process that takes memory until it is killed: tail(1) keeps the last lines, and here is only one. */
function eatMemory(cgroup: MemoryCgroup): Promise<Death> {
  const script = 'echo $$ > "$1" && exec tail /dev/zero';
  const child = spawn('sh', ['-c', script, 'sh', cgroup.procsFile], { stdio: 'ignore' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (signal === 'SIGKILL') resolve({ pid: child.pid ?? 0, unixMs: Date.now() });
      else reject(new Error(`tail was not killed: exit code ${code}, signal ${signal}`));
    });
  });
}

/** Reads until the kill of a pid is there: the kernel prints it after the signal is sent. */
async function killsUpTo(reader: KmsgReader, pid: number): Promise<OomKill[]> {
  const kills: OomKill[] = [];
  const deadlineMs = systemClock.monotonicMs() + 60_000;
  while (systemClock.monotonicMs() < deadlineMs) {
    kills.push(...reader.read(systemClock.monotonicMs(), systemClock.wallMs()).kills);
    if (kills.some((kill) => kill.pid === pid)) break;
    await sleep(20);
  }
  return kills;
}
