import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CgroupFile } from '../../../src/collector/cgroup/cgroup-file.ts';
import { CgroupMemoryReader } from '../../../src/collector/cgroup/cgroup-memory.ts';
import { type CgroupLocation, locateCgroup } from '../../../src/collector/cgroup/locate-cgroup.ts';
import type { MachineMemory } from '../../../src/model/sample.ts';
import { sessionLimit } from '../../../src/model/session-memory.ts';
import { KernelFiles } from '../../support/kernel-files.ts';

const cases = fileURLToPath(new URL('../../fixtures/cases', import.meta.url));
const fixtures = fileURLToPath(new URL('../../fixtures/kernel-6.1', import.meta.url));
const gib = 1024 ** 3;
const machineTotalBytes = 8 * gib;
// What v1 says for "no limit" on machines with pages of 4 KiB.
const unlimited = '9223372036854771712\n';

describe('case 007: the limit that binds', () => {
  const directory = path.join(cases, '007-cgroup-limit-sentinels');
  const expected: Record<string, number> = JSON.parse(read(directory, 'expected.json'));
  const totalBytes = Number(/MemTotal: +(\d+) kB/.exec(read(directory, 'meminfo'))?.[1]) * 1024;

  test.each(Object.entries(expected))('%s', (tree, limitBytes) => {
    const root = path.join(directory, tree);
    const location = locateCgroup({
      cgroup: read(root, 'proc_self_cgroup'),
      mountinfo: [
        '34 30 0:31 / /sys_fs_cgroup/memory rw - cgroup cgroup rw,memory',
        '25 22 0:23 / /sys_fs_cgroup rw - cgroup2 cgroup2 rw',
      ].join('\n'),
      root,
    });
    if (location === null) throw new Error('no location');
    const cgroup = new CgroupMemoryReader(location).read(totalBytes);
    expect(sessionLimit({ machine: machineOf(totalBytes), cgroup }).bytes).toBe(limitBytes);
  });
});

test('case 105: numbers of 64 bits', () => {
  const directory = path.join(cases, '105-numbers-above-32-and-53-bits');
  const values: string[] = JSON.parse(read(directory, 'values.json'));
  const expected: { mib: (number | null)[] } = JSON.parse(read(directory, 'expected.json'));
  const mib = values.map((value) => {
    const files = new KernelFiles({ '/cg/memory.max': `${value}\n` });
    const bytes = new CgroupFile(files.procFs, '/cg/memory.max').readNumber();
    return bytes === null ? null : Math.floor(bytes / 2 ** 20);
  });
  expect(mib).toEqual(expected.mib);
});

// The keys and their order are those of Linux 6.18 (v1) and of admin-guide/cgroup-v2.rst (v2).
const v1Files = {
  '/cg/pod/memory.limit_in_bytes': '1073741824\n',
  '/cg/pod/memory.usage_in_bytes': '700000000\n',
  '/cg/pod/memory.max_usage_in_bytes': '900000000\n',
  '/cg/pod/memory.kmem.usage_in_bytes': '46000000\n',
  '/cg/pod/memory.failcnt': '12\n',
  '/cg/pod/memory.memsw.failcnt': '5\n',
  '/cg/pod/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
  '/cg/pod/memory.stat': [
    'cache 1',
    'rss 2',
    'shmem 3',
    'swap 4',
    'inactive_file 5',
    'hierarchical_memory_limit 1073741824',
    'hierarchical_memsw_limit 9223372036854771712',
    'total_cache 220000000',
    'total_rss 410000000',
    'total_rss_huge 6',
    'total_shmem 20000000',
    'total_swap 4096',
    'total_inactive_anon 7',
    'total_inactive_file 110000000',
    '',
  ].join('\n'),
};

const v2Files = {
  '/cg/pod/memory.max': '1073741824\n',
  '/cg/pod/memory.high': 'max\n',
  '/cg/pod/memory.current': '700000000\n',
  '/cg/pod/memory.peak': '900000000\n',
  '/cg/pod/memory.swap.current': '4096\n',
  '/cg/pod/memory.events': 'low 0\nhigh 0\nmax 17\noom 5\noom_kill 2\noom_group_kill 0\n',
  '/cg/pod/memory.stat': [
    'anon 410000000',
    'file 220000000',
    'kernel 46000000',
    'kernel_stack 1000000',
    'shmem 20000000',
    'inactive_anon 7',
    'active_anon 8',
    'inactive_file 110000000',
    '',
  ].join('\n'),
};

const figures = {
  path: '/pod',
  limitBytes: gib,
  chargedBytes: 700_000_000,
  inactiveFileBytes: 110_000_000,
  anonBytes: 410_000_000,
  shmemBytes: 20_000_000,
  kernelBytes: 46_000_000,
  swapBytes: 4096,
  peakBytes: 900_000_000,
  oomKillCount: 2,
  limitHitCount: 17,
};

test.each([
  [1 as const, v1Files],
  [2 as const, v2Files],
])('v%i: all figures', (version, contents) => {
  const reader = new CgroupMemoryReader(at(version, '/pod'), new KernelFiles(contents).procFs);
  expect(reader.read(machineTotalBytes)).toEqual({ version, ...figures });
});

test('v2 before 5.18 has neither kernel nor peak, without swap no swap figure: null', () => {
  const files = new KernelFiles({
    '/cg/s/memory.max': 'max\n',
    '/cg/s/memory.current': '700000000\n',
    '/cg/s/memory.stat': 'anon 410000000\nfile 9\nkernel_stack 1\nshmem 0\ninactive_file 0\n',
    '/cg/s/memory.events': 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n',
  });
  expect(new CgroupMemoryReader(at(2, '/s'), files.procFs).read(machineTotalBytes)).toEqual({
    version: 2,
    path: '/s',
    limitBytes: null,
    chargedBytes: 700_000_000,
    inactiveFileBytes: 0,
    anonBytes: 410_000_000,
    shmemBytes: 0,
    kernelBytes: null,
    swapBytes: null,
    peakBytes: null,
    oomKillCount: 0,
    limitHitCount: 0,
  });
});

describe('which cgroup binds', () => {
  const tree = (own: string, parent: string, top: string) =>
    new KernelFiles({
      '/cg/a/b/memory.max': own,
      '/cg/a/b/memory.current': '1\n',
      '/cg/a/memory.max': parent,
      '/cg/a/memory.current': '2\n',
      '/cg/memory.max': top,
      '/cg/memory.current': '3\n',
    });

  test.each<[string, string, string, string, number | null]>([
    ['max\n', 'max\n', 'max\n', '/a/b', null],
    ['100\n', 'max\n', '200\n', '/a/b', 100],
    ['300\n', '100\n', '200\n', '/a', 100],
    ['300\n', 'max\n', '200\n', '/', 200],
    // Equal ones: the nearest.
    ['100\n', '100\n', 'max\n', '/a/b', 100],
    // Larger than the machine's memory: a limit that does not bind.
    ['max\n', `${9 * gib}\n`, 'max\n', '/a/b', 9 * gib],
    ['0\n', 'max\n', 'max\n', '/a/b', 0],
    ['max\n', '', 'max\n', '/a/b', null],
    ['max\n', 'nonsense', '-5\n', '/a/b', null],
  ])('%j %j %j', (own, parent, top, path, limitBytes) => {
    const reader = new CgroupMemoryReader(at(2, '/a/b'), tree(own, parent, top).procFs);
    expect(reader.read(machineTotalBytes)).toMatchObject({ path, limitBytes });
  });

  test('limits change while it runs, and the figures are those of the one that binds then', () => {
    const files = tree('max\n', 'max\n', 'max\n');
    const reader = new CgroupMemoryReader(at(2, '/a/b'), files.procFs);
    const read = () => {
      const { limitBytes, chargedBytes } = reader.read(machineTotalBytes) ?? {};
      return { limitBytes, chargedBytes };
    };
    expect(read()).toEqual({ limitBytes: null, chargedBytes: 1 });
    files.write({ '/cg/a/memory.max': '500\n' });
    expect(read()).toEqual({ limitBytes: 500, chargedBytes: 2 });
    files.write({ '/cg/a/b/memory.max': '400\n' });
    expect(read()).toEqual({ limitBytes: 400, chargedBytes: 1 });
    files.write({ '/cg/a/b/memory.max': 'max\n', '/cg/a/memory.max': 'max\n' });
    expect(read()).toEqual({ limitBytes: null, chargedBytes: 1 });
  });

  test.each<[string, string, number | null]>([
    ['400\n', '300\n', 300],
    ['400\n', '500\n', 400],
    ['max\n', '300\n', 300],
    ['400\n', 'max\n', 400],
    // Written for a moment, to have memory taken back.
    ['400\n', '0\n', 400],
  ])('memory.max %j, memory.high %j: the lower one', (max, high, limitBytes) => {
    const files = tree(max, 'max\n', 'max\n');
    files.write({ '/cg/a/b/memory.high': high });
    const reader = new CgroupMemoryReader(at(2, '/a/b'), files.procFs);
    expect(reader.read(machineTotalBytes)).toMatchObject({ path: '/a/b', limitBytes });
  });

  test('a path of the host that is not there: the nearest cgroup that is', () => {
    const reader = new CgroupMemoryReader(
      at(2, '/a/b/of/the/host'),
      tree('100\n', 'max\n', 'max\n').procFs,
    );
    expect(reader.read(machineTotalBytes)).toMatchObject({ path: '/a/b', limitBytes: 100 });
  });

  test('v1: a limit of a parent that a container cannot see', () => {
    const files = new KernelFiles({
      '/cg/memory.limit_in_bytes': unlimited,
      '/cg/memory.stat': 'hierarchical_memory_limit 536870912\ntotal_rss 4096\n',
    });
    const reader = new CgroupMemoryReader(at(1, '/'), files.procFs);
    expect(reader.read(machineTotalBytes)).toMatchObject({ path: '/', limitBytes: 536_870_912 });
  });
});

describe('events where a parent binds', () => {
  test('v1 counts a kill in the victim’s cgroup only, so both are added', () => {
    const files = new KernelFiles({
      ...v1Files,
      '/cg/pod/s/memory.limit_in_bytes': unlimited,
      '/cg/pod/s/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n',
      '/cg/pod/s/memory.failcnt': '0\n',
    });
    const reader = new CgroupMemoryReader(at(1, '/pod/s'), files.procFs);
    expect(reader.read(machineTotalBytes)).toMatchObject({
      path: '/pod',
      oomKillCount: 5,
      limitHitCount: 17,
    });
  });

  test('v2 throttled at memory.high on Linux 6.1: that is how often it was at its limit', () => {
    const files = new KernelFiles({
      ...v2Files,
      '/cg/pod/memory.events': 'low 0\nhigh 1471\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n',
    });
    const reader = new CgroupMemoryReader(at(2, '/pod'), files.procFs);
    expect(reader.read(machineTotalBytes)).toMatchObject({ oomKillCount: 0, limitHitCount: 1471 });
  });

  test('v2 counts the first victim of a group kill twice (Linux 6.1)', () => {
    const events = read(fixtures, 'group-kill.memory.events');
    const files = new KernelFiles({ ...v2Files, '/cg/pod/memory.events': events });
    const reader = new CgroupMemoryReader(at(2, '/pod'), files.procFs);
    expect(reader.read(machineTotalBytes)).toMatchObject({ oomKillCount: 4, limitHitCount: 18 });
  });

  test('v2 counts them all the way up', () => {
    const files = new KernelFiles({
      ...v2Files,
      '/cg/pod/s/memory.max': 'max\n',
      '/cg/pod/s/memory.events': 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\n',
    });
    const reader = new CgroupMemoryReader(at(2, '/pod/s'), files.procFs);
    expect(reader.read(machineTotalBytes)).toMatchObject({ path: '/pod', oomKillCount: 2 });
  });
});

describe('a cgroup that goes', () => {
  test('null from then on, also when one of its name comes back, and no descriptor is left', () => {
    const files = new KernelFiles(v1Files);
    const reader = new CgroupMemoryReader(at(1, '/pod'), files.procFs);
    expect(reader.read(machineTotalBytes)).not.toBeNull();
    files.removeDirectory('/cg/pod');
    expect(reader.read(machineTotalBytes)).toBeNull();
    files.write(v1Files);
    expect(reader.read(machineTotalBytes)).toBeNull();
    expect(files.openCount).toBe(0);
  });

  test('one without the memory controller is none', () => {
    const files = new KernelFiles({ '/cg/s/memory.pressure': 'some avg10=0.00 total=0\n' });
    expect(new CgroupMemoryReader(at(2, '/s'), files.procFs).read(machineTotalBytes)).toBeNull();
  });

  test('close lets go of every descriptor', () => {
    const files = new KernelFiles(v2Files);
    const reader = new CgroupMemoryReader(at(2, '/pod'), files.procFs);
    reader.read(machineTotalBytes);
    expect(files.openCount).toBe(7);
    reader.close();
    expect(files.openCount).toBe(0);
    expect(reader.read(machineTotalBytes)).toBeNull();
  });
});

test('any bytes in any file give whole numbers or null', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 80 }),
    fc
      .stringMatching(/^(anon|oom_kill|max|total_rss| |\n|\d{1,25}){0,8}$/)
      .map((text) => Buffer.from(text)),
  );
  const version = fc.constantFrom(1 as const, 2 as const);
  fc.assert(
    fc.property(version, fc.array(bytes, { minLength: 8, maxLength: 8 }), (version, contents) => {
      const names = Object.keys(version === 1 ? v1Files : v2Files);
      const files = new KernelFiles(
        Object.fromEntries(names.map((name, at) => [name, Buffer.from(contents[at] ?? [])])),
      );
      const reading = new CgroupMemoryReader(at(version, '/pod'), files.procFs).read(gib);
      for (const value of Object.values(reading ?? {})) {
        if (typeof value === 'number') expect(Number.isSafeInteger(value)).toBe(true);
      }
    }),
  );
});

function at(version: 1 | 2, path: string): CgroupLocation {
  const location = locateCgroup({
    cgroup: version === 1 ? `4:memory:${path}\n` : `0::${path}\n`,
    mountinfo:
      version === 1
        ? '34 30 0:31 / /cg rw - cgroup cgroup rw,memory'
        : '25 22 0:23 / /cg rw - cgroup2 cgroup2 rw',
  });
  if (location === null) throw new Error('no location');
  return location;
}

function machineOf(totalBytes: number): MachineMemory {
  return {
    totalBytes,
    freeBytes: 9_000_000 * 1024,
    availableBytes: 12_000_000 * 1024,
    buffersBytes: null,
    cachedBytes: null,
    inactiveFileBytes: null,
    anonBytes: null,
    shmemBytes: null,
    kernelBytes: null,
    swapTotalBytes: null,
    swapFreeBytes: null,
    zramBytes: null,
    devShmUsedBytes: null,
  };
}

function read(...parts: string[]): string {
  return fs.readFileSync(path.join(...parts), 'utf8');
}
