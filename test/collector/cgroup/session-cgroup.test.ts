import { expect, test } from 'vitest';
import { type CgroupLocation, locateCgroup } from '../../../src/collector/cgroup/locate-cgroup.ts';
import { SessionCgroup } from '../../../src/collector/cgroup/session-cgroup.ts';
import { KernelFiles } from '../../support/kernel-files.ts';

const mib = 2 ** 20;
const totalBytes = 8_000 * mib;

function at(path: string): CgroupLocation {
  const mountinfo = '34 30 0:31 / /cg rw - cgroup cgroup rw,memory\n';
  const location = locateCgroup({ cgroup: `4:memory:${path}`, mountinfo });
  if (location === null) throw new Error('no location');
  return location;
}

test('a removed cgroup keeps its limit, its mark and its counts; what it holds is unknown', () => {
  const files = new KernelFiles({
    '/cg/x/memory.limit_in_bytes': `${500 * mib}\n`,
    '/cg/x/memory.usage_in_bytes': `${120 * mib}\n`,
    '/cg/x/memory.max_usage_in_bytes': `${400 * mib}\n`,
    '/cg/x/memory.failcnt': '7\n',
    '/cg/x/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
  });
  const cgroup = new SessionCgroup(at('/x'), files.procFs);
  const before = cgroup.read(totalBytes);
  expect(before).toMatchObject({ chargedBytes: 120 * mib, oomKillCount: 2 });
  files.removeDirectory('/cg/x');
  const removed = cgroup.read(totalBytes);
  expect(removed).toEqual({ ...before, chargedBytes: null, kernelBytes: null });
  expect(removed).toMatchObject({ limitBytes: 500 * mib, peakBytes: 400 * mib, limitHitCount: 7 });
});

test('below the same binding parent kills are counted anew: the first reading tells none', () => {
  const files = new KernelFiles({
    '/cg/p/memory.limit_in_bytes': `${500 * mib}\n`,
    '/cg/p/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
    '/cg/p/x/memory.limit_in_bytes': `${900 * mib}\n`,
    '/cg/p/x/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 4\n',
  });
  const cgroup = new SessionCgroup(at('/p'), files.procFs);
  expect(cgroup.read(totalBytes)).toMatchObject({ path: '/p', oomKillCount: 1 });
  expect(cgroup.moveTo(at('/p/x'))).toBe(true);
  expect(cgroup.read(totalBytes)).toMatchObject({ path: '/p', oomKillCount: null });
  expect(cgroup.read(totalBytes)).toMatchObject({ path: '/p', oomKillCount: 5 });
});

test('where there is nothing to read it stays where it is', () => {
  const files = new KernelFiles({ '/cg/x/memory.limit_in_bytes': `${500 * mib}\n` });
  const cgroup = new SessionCgroup(at('/x'), files.procFs);
  expect(cgroup.moveTo(at('/y'))).toBe(false);
  expect(cgroup.directory).toBe('/cg/x');
  expect(cgroup.moveCount).toBe(0);
});

test('without a cgroup there is none, until one is found', () => {
  const files = new KernelFiles({ '/cg/x/memory.limit_in_bytes': `${500 * mib}\n` });
  const cgroup = new SessionCgroup(null, files.procFs);
  expect([cgroup.read(totalBytes), cgroup.readPressure(), cgroup.directory]).toEqual([
    null,
    null,
    null,
  ]);
  cgroup.moveTo(at('/x'));
  expect(cgroup.read(totalBytes)).toMatchObject({ path: '/x', limitBytes: 500 * mib });
});
