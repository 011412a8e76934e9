import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { CgroupMemoryReader } from '../../../src/collector/cgroup/cgroup-memory.ts';
import {
  createLimitedCgroup,
  type LimitedCgroup,
} from '../../../src/collector/cgroup/limited-cgroup.ts';
import type { CgroupLocation } from '../../../src/collector/cgroup/locate-cgroup.ts';
import { locateCgroupOf } from '../../../src/collector/local-sources.ts';
import { HeadroomError } from '../../../src/model/errors.ts';

const mib = 2 ** 20;
const location = process.platform === 'linux' ? locateCgroupOf('self') : null;
const isRoot = process.getuid?.() === 0;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe.skipIf(location === null || !isRoot)('with the kernel of this machine', () => {
  test('limit, charge and peak of a child that grows, and removal', async () => {
    const cgroup = limited(96 * mib);
    const reader = new CgroupMemoryReader(cgroup.location);
    const read = () => reader.read(os.totalmem());
    expect(read()).toMatchObject({
      version: location?.version,
      path: cgroup.path,
      limitBytes: 96 * mib,
      oomKillCount: 0,
    });

    const child = runIn(cgroup, process.execPath, [
      '-e',
      `const kept = [];
       process.stdin.on('data', () => {
         kept.push(Buffer.alloc(16 * 2 ** 20, 1));
         process.stdout.write('grown');
       });
       process.stdout.write('ready');`,
    ]);
    await once(child.stdout, 'data');
    const cgroupOfChild = locateCgroupOf(child.pid ?? 0);
    expect(cgroupOfChild?.levels[0]?.directory).toBe(cgroup.directory);

    const before = read();
    child.stdin.write('grow');
    await once(child.stdout, 'data');
    const after = read();
    expect((after?.anonBytes ?? 0) - (before?.anonBytes ?? 0)).toBeGreaterThan(15 * mib);
    expect((after?.chargedBytes ?? 0) - (before?.chargedBytes ?? 0)).toBeGreaterThan(15 * mib);
    expect(after?.peakBytes).toBeGreaterThanOrEqual(after?.chargedBytes ?? Number.NaN);
    expect(after?.anonBytes).toBeLessThanOrEqual(after?.chargedBytes ?? Number.NaN);
    // The kernel's own count of the child's anonymous memory.
    const rssAnonKb = /^RssAnon:\s+(\d+) kB/m.exec(
      fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'),
    )?.[1];
    expect((after?.anonBytes ?? 0) / 1024 / Number(rssAnonKb)).toBeCloseTo(1, 1);

    expect(await cgroup.remove()).toBe(false);
    child.stdin.end();
    await once(child, 'exit');
    expect(await cgroup.remove()).toBe(true);
    expect(await cgroup.remove()).toBe(true);
    expect(fs.existsSync(cgroup.directory)).toBe(false);
    expect(read()).toBeNull();
  });

  test('its removal waits for what is just ending, unless there is a hurry', async () => {
    const cgroup = limited(96 * mib);
    const child = runIn(cgroup, 'cat', []);
    child.stdin.write('x');
    await once(child.stdout, 'data');
    const longestMs = 600_000;
    expect(await cgroup.remove({ longestMs, hurry: AbortSignal.abort() })).toBe(false);
    const removal = cgroup.remove({ longestMs });
    child.stdin.end();
    expect(await removal).toBe(true);
  });

  // As a recorder in it does that was killed.
  test('its removal takes what was made below it, but nothing while a process is there', async () => {
    const cgroup = limited(96 * mib);
    const [empty, busy] = ['empty', 'busy'].map((name) => `${cgroup.directory}/${name}`);
    for (const each of [empty, busy]) fs.mkdirSync(String(each));
    const child = runIn({ ...cgroup, procsFile: `${busy}/cgroup.procs` }, 'cat', []);
    child.stdin.write('x');
    await once(child.stdout, 'data');
    expect(await cgroup.remove({ longestMs: 0 })).toBe(false);
    expect(fs.existsSync(String(empty))).toBe(true);
    child.stdin.end();
    expect(await cgroup.remove({ longestMs: 600_000 })).toBe(true);
  });

  test('the next one removes what a recorder left that was killed, unless that still runs', async () => {
    const old = [1, 2].map(() => limited(96 * mib, location, `headroom-${randomUUID()}`));
    const [left, running] = old;
    if (left === undefined || running === undefined) throw new Error('two were made');
    fs.mkdirSync(`${left.directory}/child`);
    const child = runIn(running, 'cat', []);
    child.stdin.write('x');
    await once(child.stdout, 'data');
    const young = limited(96 * mib);
    const there = () => [...old, young].map(({ directory }) => fs.existsSync(directory));
    // Their commands may be about to move in.
    expect(there()).toEqual([true, true, true]);
    for (const { directory } of old) fs.utimesSync(directory, 0, 0);
    limited(96 * mib);
    expect(there()).toEqual([false, true, true]);
    expect(child.exitCode).toBeNull();
  });

  test('the limit of a parent binds, and a kill for it is counted', () => {
    const parent = limited(32 * mib);
    const own = limited(512 * mib, parent.location);
    const reader = new CgroupMemoryReader(own.location);
    // tail keeps all it has read: without a line feed it grows until it is killed.
    const { signal } = spawnSync('/bin/sh', ['-c', intoCgroup, own.procsFile, 'tail', '/dev/zero']);
    expect(signal).toBe('SIGKILL');
    const reading = reader.read(os.totalmem());
    expect(reading).toMatchObject({
      path: parent.path,
      limitBytes: 32 * mib,
      oomKillCount: 1,
    });
    expect(reading?.limitHitCount).toBeGreaterThan(0);
    reader.close();
  });

  test('a name that is taken', () => {
    const cgroup = limited(32 * mib);
    const again = () =>
      createLimitedCgroup({ limitBytes: mib, name: path.basename(cgroup.directory), location });
    expect(again).toThrow(expect.objectContaining({ code: 'CGROUP_DENIED' }));
  });

  test('not for everyone: CGROUP_DENIED with what to do', () => {
    process.seteuid?.(65_534);
    cleanups.push(() => process.seteuid?.(0));
    expect(() => createLimitedCgroup({ limitBytes: mib, name: uniqueName(), location })).toThrow(
      expect.objectContaining({
        code: 'CGROUP_DENIED',
        message: expect.stringMatching(/memory cgroup below \/.*: EACCES$/),
        hint: expect.stringContaining('as root'),
      }),
    );
  });
});

describe('v2, in a plain directory that looks like it', () => {
  test('it is made at the nearest parent that passes the memory controller on', () => {
    const mountPoint = makeTree({ '': 'cpu memory', pod: 'cpu memory', 'pod/s': null });
    const cgroup = createLimitedCgroup({
      limitBytes: 64 * mib,
      name: 'headroom-1',
      location: locationIn(mountPoint, ['/pod/s', '/pod', '/']),
    });
    expect(cgroup.path).toBe('/pod/headroom-1');
    expect(cgroup.procsFile).toBe(`${mountPoint}/pod/headroom-1/cgroup.procs`);
    expect(cgroup.location.levels.map((level) => level.path)).toEqual([
      '/pod/headroom-1',
      '/pod',
      '/',
    ]);
    expect(fs.readFileSync(`${cgroup.directory}/memory.max`, 'utf8')).toBe('67108864');
    expect(fs.readFileSync(`${cgroup.directory}/memory.swap.max`, 'utf8')).toBe('0');
  });

  test('a parent that does not yet is asked to', () => {
    const mountPoint = makeTree({ '': 'cpu' });
    createLimitedCgroup({
      limitBytes: mib,
      name: 'x',
      location: locationIn(mountPoint, ['/']),
    });
    expect(fs.readFileSync(`${mountPoint}/cgroup.subtree_control`, 'utf8')).toBe('+memory');
  });
});

test('no memory controller: CGROUP_DENIED', () => {
  expect(() => createLimitedCgroup({ limitBytes: mib, name: 'x', location: null })).toThrow(
    expect.objectContaining({ code: 'CGROUP_DENIED' }),
  );
});

test.each([
  [{ limitBytes: 0, name: 'x' }, RangeError],
  [{ limitBytes: 1.5, name: 'x' }, RangeError],
  [{ limitBytes: Number.NaN, name: 'x' }, RangeError],
  [{ limitBytes: mib, name: '' }, TypeError],
  [{ limitBytes: mib, name: '..' }, TypeError],
  [{ limitBytes: mib, name: 'a/b' }, TypeError],
])('misuse: %o', (options, error) => {
  const create = () => createLimitedCgroup({ ...options, location: null });
  expect(create).toThrow(error);
  expect(create).not.toThrow(HeadroomError);
});

const intoCgroup = 'echo 0 > "$0" && exec "$@"';

function limited(limitBytes: number, below = location, name = uniqueName()): LimitedCgroup {
  const cgroup = createLimitedCgroup({ limitBytes, name, location: below });
  cleanups.push(() => cgroup.remove());
  return cgroup;
}

function uniqueName(): string {
  return `headroom-test-${process.pid}-${cleanups.length}`;
}

function runIn(
  cgroup: LimitedCgroup,
  program: string,
  args: readonly string[],
): ChildProcessWithoutNullStreams {
  const child = spawn('/bin/sh', ['-c', intoCgroup, cgroup.procsFile, program, ...args]);
  cleanups.push(() => child.kill('SIGKILL'));
  return child;
}

/** Directories with their `cgroup.subtree_control`; null: one without that file. */
function makeTree(directories: Readonly<Record<string, string | null>>): string {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-cgroup-'));
  cleanups.push(() => fs.rmSync(root, { recursive: true }));
  for (const [directory, subtreeControl] of Object.entries(directories)) {
    fs.mkdirSync(path.join(root, directory), { recursive: true });
    if (subtreeControl === null) continue;
    fs.writeFileSync(path.join(root, directory, 'cgroup.subtree_control'), subtreeControl);
  }
  return root;
}

function locationIn(mountPoint: string, paths: readonly string[]): CgroupLocation {
  return {
    version: 2,
    mountPoint,
    levels: paths.map((at) => ({ path: at, directory: at === '/' ? mountPoint : mountPoint + at })),
  };
}
