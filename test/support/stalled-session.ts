import fs from 'node:fs';
import type { ProcessReading, Sample } from '../../src/model/sample.ts';
import { fakeSample } from './fake-sample.ts';

const file = new URL('../fixtures/stall/chromium-512MiB.txt', import.meta.url);

/** The samples of a real memory stall (see the file), with these processes in each of them. */
export function stalledSession(processes: readonly ProcessReading[]): Sample[] {
  const [, ...rows] = fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.split(' ').map(Number));
  return rows.map(([second = 0, charged, anon, shmem, kernel, inactiveFile, ...counters], at) => {
    const [memorySomeMs = 0, memoryFullMs = 0, refaultFileCount = 0] = counters;
    return fakeSample({
      second,
      sequence: at + 1,
      machine: { totalBytes: 24_064 * 2 ** 20, availableBytes: 20_000 * 2 ** 20 },
      cgroup: {
        version: 1,
        path: '/session',
        limitBytes: 512 * 2 ** 20,
        chargedBytes: kib(charged),
        anonBytes: kib(anon),
        shmemBytes: kib(shmem),
        kernelBytes: kib(kernel),
        inactiveFileBytes: kib(inactiveFile),
        oomKillCount: 0,
      },
      pressure: { memorySomeMs, memoryFullMs },
      activity: { refaultFileCount, oomKillCount: 3 },
      processes,
    });
  });
}

function kib(count = 0): number {
  return count * 1024;
}
