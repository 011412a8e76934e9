import { describe, expect, test } from 'vitest';
import type { CgroupMemory, MachineMemory } from '../../src/model/sample.ts';
import {
  availableBytes,
  bindingCgroup,
  sessionLimit,
  utilizationRatio,
  workingSetBytes,
} from '../../src/model/session-memory.ts';
import { fakeSample, mib } from '../support/fake-sample.ts';

function reading(machine: Partial<MachineMemory>, cgroup?: Partial<CgroupMemory>) {
  return fakeSample({ second: 0, machine, ...(cgroup === undefined ? {} : { cgroup }) });
}

function figures(sample: ReturnType<typeof reading>) {
  const bytes = [sessionLimit(sample).bytes, workingSetBytes(sample), availableBytes(sample)];
  return bytes.map((value) => (value === null ? null : value / mib));
}

const machine = {
  totalBytes: 1024 * mib,
  freeBytes: 100 * mib,
  availableBytes: 600 * mib,
  inactiveFileBytes: 300 * mib,
};
const session = { limitBytes: 512 * mib, chargedBytes: 400 * mib, inactiveFileBytes: 150 * mib };

describe('limit, working set and available memory, MiB', () => {
  test.each<[string, Partial<MachineMemory>, Partial<CgroupMemory> | undefined, unknown[]]>([
    // 1024 − 100 − 300
    ['of the machine', machine, undefined, [1024, 624, 600]],
    // 400 − 150; 512 − 250 is less than the machine’s 600
    ['of a cgroup', machine, session, [512, 250, 262]],
    [
      'the machine runs out before the cgroup',
      { ...machine, availableBytes: 50 * mib },
      session,
      [512, 250, 50],
    ],
    ['a cgroup without a limit', machine, { ...session, limitBytes: null }, [1024, 624, 600]],
    [
      'a limit above the machine’s memory',
      machine,
      { ...session, limitBytes: 2048 * mib },
      [1024, 624, 600],
    ],
    ['no figure below zero', machine, { ...session, chargedBytes: 100 * mib }, [512, 0, 512]],
    [
      'over the limit for a moment',
      machine,
      { ...session, chargedBytes: 700 * mib },
      [512, 550, 0],
    ],
    ['charge unknown', machine, { ...session, chargedBytes: null }, [512, null, null]],
    [
      'the machine’s available memory unknown, the cgroup’s known',
      { ...machine, availableBytes: null },
      session,
      [512, 250, 262],
    ],
    [
      'inactive file unknown',
      { ...machine, inactiveFileBytes: null },
      undefined,
      [1024, null, 600],
    ],
  ])('%s', (_, machineMemory, cgroup, expected) => {
    expect(figures(reading(machineMemory, cgroup))).toEqual(expected);
  });
});

test('who sets the limit', () => {
  expect(sessionLimit(reading(machine)).source).toBe('machine');
  expect(sessionLimit(reading(machine, { ...session, version: 1 })).source).toBe('cgroup_v1');
  expect(sessionLimit(reading(machine, { ...session, version: 2 })).source).toBe('cgroup_v2');
  expect(bindingCgroup(reading(machine))).toBeNull();
  expect(bindingCgroup(reading(machine, session))).toMatchObject(session);
});

test('utilization is a ratio, and unknown without a limit', () => {
  expect(utilizationRatio(reading(machine, session))).toBe(250 / 512);
  expect(utilizationRatio(reading({ ...machine, totalBytes: 0 }))).toBeNull();
  expect(utilizationRatio(reading(machine, { ...session, chargedBytes: null }))).toBeNull();
});

// Case 105: more than 2^32 bytes, and figures beyond 2^40.
test('large machines', () => {
  const large = { totalBytes: 1_554_718_408_704, freeBytes: 25_276_026_880, inactiveFileBytes: 0 };
  expect(workingSetBytes(reading(large))).toBe(1_529_442_381_824);
});
