import { beforeEach, describe, expect, test } from 'vitest';
import { CgroupFollower } from '../../../src/collector/cgroup/cgroup-follower.ts';
import { locateCgroup } from '../../../src/collector/cgroup/locate-cgroup.ts';
import { SessionCgroup } from '../../../src/collector/cgroup/session-cgroup.ts';
import type { Note } from '../../../src/model/event.ts';
import type { ProcessReading } from '../../../src/model/sample.ts';
import { FakeProc } from '../../support/fake-proc.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../../support/fake-sample.ts';
import { KernelFiles } from '../../support/kernel-files.ts';

const mountinfo = '34 30 0:31 / /cg rw - cgroup cgroup rw,memory\n';
const commandPid = 50;

/** Of a cgroup of v1: its limit and its charge. */
function filesOf(path: string, limitMib: number | null, chargedMib: number) {
  const limit = limitMib === null ? '9223372036854771712' : String(limitMib * mib);
  return {
    [`/cg${path}/memory.limit_in_bytes`]: `${limit}\n`,
    [`/cg${path}/memory.usage_in_bytes`]: `${chargedMib * mib}\n`,
  };
}

let proc: FakeProc;
let cgroup: SessionCgroup;
let second: number;

beforeEach(() => {
  proc = new FakeProc();
  second = 0;
  const files = new KernelFiles({
    ...filesOf('', null, 3_000),
    ...filesOf('/recorder', null, 70),
    ...filesOf('/x', 500, 120),
    ...filesOf('/y', 700, 90),
  });
  cgroup = new SessionCgroup(
    locateCgroup({ cgroup: '4:memory:/recorder', mountinfo }),
    files.procFs,
  );
  put(commandPid, '/recorder');
});

function followerOf(rootPid: number | null): CgroupFollower {
  return new CgroupFollower(cgroup, {
    proc: proc.procFs,
    rootPid,
    locate: (pid) => {
      const text = proc.procFs.text(`${pid}/cgroup`);
      return text === null ? null : locateCgroup({ cgroup: text, mountinfo });
    },
  });
}

function followCommand(): CgroupFollower {
  const follower = followerOf(null);
  follower.follow(commandPid);
  return follower;
}

function put(pid: number, path: string): void {
  const cgroup = `4:memory:${path}\n0::/\n`;
  if (proc.processes.has(pid)) proc.change(pid, { cgroup });
  else proc.start(pid, { cgroup });
}

const browser = (pid: number): ProcessReading =>
  fakeProcess({ pid, role: 'browser', browserPid: pid, anonBytes: mib, rssBytes: mib });

/** The next samples, with these browsers; gives what was told, by code. */
function samples(follower: CgroupFollower, count: number, pids: readonly number[] = []): string[] {
  return Array.from({ length: count }, () => {
    const sample = fakeSample({ second: second++, processes: pids.map(browser) });
    return follower.read({ sample }).map(({ code }: Note) => code);
  }).flat();
}

const read = () => {
  const reading = cgroup.read(8_000 * mib);
  return [reading?.path, reading?.limitBytes, reading?.chargedBytes];
};

describe('with a command', () => {
  test('one that moves itself is followed, and told with the sample that is read there', () => {
    const follower = followCommand();
    expect(samples(follower, 1)).toEqual([]);
    put(commandPid, '/x');
    expect(samples(follower, 1)).toEqual([]);
    expect(read()).toEqual(['/x', 500 * mib, 120 * mib]);
    const notes = follower.read({ sample: fakeSample({ second: 9 }) });
    expect(notes).toEqual([
      {
        kind: 'note',
        timeUnixMs: startUnixMs + 9_000,
        code: 'cgroup_found',
        message:
          'what is recorded (pid 50) lives in the memory cgroup /x: from here on limit, memory and kills are those of it',
      },
    ]);
    expect(samples(follower, 200)).toEqual([]);
    expect(cgroup.moveCount).toBe(1);
  });

  test('its browser counts, wherever the command is, as soon as it is seen', () => {
    const follower = followCommand();
    expect(samples(follower, 100)).toEqual([]);
    put(60, '/x');
    expect(samples(follower, 1, [60])).toEqual([]);
    expect(read()[0]).toBe('/x');
    expect(samples(follower, 1, [60])).toEqual(['cgroup_found']);
    // The browser is gone, the command is not: the next browser may be where the last one was.
    expect(samples(follower, 200)).toEqual([]);
    expect(read()[0]).toBe('/x');
    put(61, '/y');
    expect(samples(follower, 2, [61])).toEqual(['cgroup_moved']);
    expect(read()).toEqual(['/y', 700 * mib, 90 * mib]);
  });

  test('a browser that goes elsewhere later is followed within 60 samples', () => {
    const follower = followCommand();
    put(60, '/recorder');
    expect(samples(follower, 200, [60])).toEqual([]);
    put(60, '/x');
    expect(samples(follower, 61, [60])).toEqual(['cgroup_moved']);
  });

  test('it is asked seldom: a day has some 1,440 looks', () => {
    const follower = followCommand();
    put(60, '/recorder');
    samples(follower, 6_000, [60]);
    expect(proc.readCounts.get('60/cgroup')).toBeLessThan(120);
  });

  test('what is ending, of which v1 says “/”, is not followed there', () => {
    const follower = followCommand();
    put(60, '/x');
    expect(samples(follower, 2, [60])).toEqual(['cgroup_found']);
    put(60, '/');
    // PF_EXITING and PF_RANDOMIZE, as a zombie has them.
    proc.change(60, { files: { stat: '60 (chromium) Z 1 60 60 0 -1 4194308 0 0 0 0' } });
    expect(samples(follower, 200, [60])).toEqual([]);
    expect(read()[0]).toBe('/x');
  });

  test.each<[string, () => number[]]>([
    ['browsers in two cgroups', () => [at(60, '/x'), at(61, '/y')]],
    ['a browser that is gone', () => [70]],
    ['one outside of what is seen here', () => [at(60, '/../elsewhere')]],
    ['one whose cgroup has no files here', () => [at(60, '/nowhere')]],
    ['one in the recorder’s own', () => [at(60, '/recorder')]],
  ])('%s: nothing changes', (name, browsers) => {
    const follower = followCommand();
    expect(samples(follower, 100, browsers())).toEqual([]);
    expect(cgroup.moveCount, name).toBe(0);
    expect(read()[0]).toBe('/recorder');
  });
});

test('--pid: the process was the browser all along, so what was read before counts', () => {
  const follower = followerOf(commandPid);
  expect(samples(follower, 3)).toEqual([]);
  put(commandPid, '/x');
  expect(samples(follower, 3)).toEqual(['cgroup_moved']);
  expect(read()[0]).toBe('/x');
});

test('a recording of the machine follows nobody', () => {
  const follower = followerOf(null);
  put(60, '/x');
  expect(samples(follower, 200, [60])).toEqual([]);
  expect(proc.readCounts.get('60/cgroup')).toBeUndefined();
});

test('the last sample tells what the one before it found', () => {
  const follower = followCommand();
  put(commandPid, '/x');
  samples(follower, 1);
  expect(follower.finish({ sample: fakeSample({ second: 1 }) })).toMatchObject([
    { code: 'cgroup_found' },
  ]);
});

function at(pid: number, path: string): number {
  put(pid, path);
  return pid;
}
