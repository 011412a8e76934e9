import { expect, test } from 'vitest';
import type { ProcessReading } from '../../src/model/sample.ts';
import { isWorthStoring } from '../../src/store/sparse-rule.ts';
import { fakeProcess, mib } from '../support/fake-sample.ts';

const stored = fakeProcess({
  pid: 1,
  role: 'renderer',
  rssBytes: 100 * mib,
  anonBytes: 60 * mib,
  shmemBytes: mib,
  swapBytes: 0,
  cpuMs: 1000,
  threadCount: 14,
  state: 'S',
});

test.each<[string, Partial<ProcessReading>, boolean]>([
  ['nothing changed', {}, false],
  ['RSS up by less than 1/256', { rssBytes: 100 * mib + 396 * 1024 }, false],
  ['RSS up by 1/256', { rssBytes: 100 * mib + 400 * 1024 }, true],
  ['RSS down by 1/256', { rssBytes: 100 * mib - 400 * 1024 }, true],
  ['anonymous memory changed for file pages', { anonBytes: 61 * mib }, true],
  ['shared memory', { shmemBytes: 3 * mib }, true],
  ['swapped out', { swapBytes: 20 * mib }, true],
  ['memory unknown from now on', { rssBytes: null }, true],
  ['490 ms of CPU', { cpuMs: 1490 }, false],
  ['500 ms of CPU', { cpuMs: 1500 }, true],
  ['three threads more', { threadCount: 17 }, false],
  ['four threads less', { threadCount: 10 }, true],
  ['runs', { state: 'R' }, false],
  ['waits for the disk', { state: 'D' }, false],
  ['is stopped', { state: 'T' }, true],
  ['is a zombie', { state: 'Z' }, true],
  ['PSS was read', { pssBytes: 70 * mib }, true],
  ['PSS is estimated', { pssEstimatedBytes: 70 * mib }, false],
  ['page faults', { majorFaultCount: 5000 }, false],
])('%s', (_, change, worth) => {
  expect(isWorthStoring(stored, { ...stored, ...change })).toBe(worth);
});

test.each([
  ['64 MiB', 64 * mib],
  ['5 MiB', 5 * mib],
  ['an unknown RSS', null],
])('of %s 256 KiB are worth a row, and no less', (_, rssBytes) => {
  const small = { ...stored, rssBytes };
  expect(isWorthStoring(small, { ...small, anonBytes: 60 * mib + 252 * 1024 })).toBe(false);
  expect(isWorthStoring(small, { ...small, anonBytes: 60 * mib + 256 * 1024 })).toBe(true);
});
