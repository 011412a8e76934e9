import { expect, test } from 'vitest';
import { devShmEvents } from '../../src/collector/dev-shm-events.ts';
import { fakeProcess, fakeSample, mib } from '../support/fake-sample.ts';

// As Chromium 131 has it, which unlinks them at once.
const open = '/dev/shm/.org.chromium.Chromium.3HmsvJ (deleted)';

/** What is told at these seconds, with so much of 64 MiB in use. */
function follow(
  usedMib: readonly number[],
  { link = open, browserPid = 100 as number | null } = {},
) {
  let used = 0;
  const devices = {
    get devShm() {
      return { sizeBytes: 64 * mib, freeBytes: (64 - used) * mib };
    },
  };
  const proc = {
    entries: () => ['0', '18'],
    link: (name: string) => (name.endsWith('/18') ? link : null),
  };
  const source = devShmEvents(proc, devices);
  return usedMib.flatMap((now, second) => {
    used = now;
    const sample = fakeSample({
      second,
      processes: [fakeProcess({ pid: 100, role: 'browser', browserPid })],
    });
    const at = { sample, ended: [], nowMonotonicMs: second * 1000, nowUnixMs: second };
    return source.read(at).map((event) => (event.kind === 'note' ? event.message : event.kind));
  });
}

test('with less than 32 MiB left it is told, and again after half a minute', () => {
  expect(follow([0, 30, 50, 60, 10])).toEqual([
    '/dev/shm has 14.0 MiB of 64.0 MiB left, and the browser keeps its shared memory there (pid 100)',
  ]);
  expect(follow(Array(61).fill(50))).toHaveLength(3);
});

test('a Chromium that keeps nothing there, and a program that is none, are no reason to tell', () => {
  expect(follow([60], { link: '/memfd:shared-memory (deleted)' })).toEqual([]);
  expect(follow([60], { browserPid: null })).toEqual([]);
});
