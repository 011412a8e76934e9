import { expect, test } from 'vitest';
import { fieldReader, type TickField, viewOf } from '../../src/exporter/tick-view.ts';
import { fakeSample, mib } from '../support/fake-sample.ts';

const inMachine = fakeSample({
  second: 0,
  machine: {
    totalBytes: 1000 * mib,
    freeBytes: 200 * mib,
    availableBytes: 600 * mib,
    inactiveFileBytes: 300 * mib,
    swapTotalBytes: 100 * mib,
    swapFreeBytes: 70 * mib,
  },
});
const inCgroup = fakeSample({
  second: 0,
  machine: { totalBytes: 8000 * mib, availableBytes: 7000 * mib },
  cgroup: {
    limitBytes: 400 * mib,
    chargedBytes: 250 * mib,
    inactiveFileBytes: 50 * mib,
    peakBytes: 390 * mib,
  },
});

test.each<[string, TickField, number | null]>([
  ['the machine', 'session.limitBytes', 1000 * mib],
  ['the machine', 'session.machineUsedBytes', 400 * mib],
  ['the machine', 'session.machineUsedRatio', 0.4],
  ['the machine', 'session.workingSetBytes', 500 * mib],
  ['the machine', 'session.utilizationRatio', 0.5],
  ['the machine', 'session.swapUsedBytes', 30 * mib],
  ['the machine', 'session.peakBytes', 555 * mib],
  ['the machine', 'session.containerWorkingSetBytes', null],
  ['the machine', 'container.chargedBytes', null],
  ['the machine', 'activity.oomKillCount', null],
  ['a cgroup', 'session.limitBytes', 400 * mib],
  ['a cgroup', 'session.workingSetBytes', 200 * mib],
  ['a cgroup', 'session.containerWorkingSetBytes', 200 * mib],
  ['a cgroup', 'session.containerAvailableBytes', 200 * mib],
  ['a cgroup', 'session.availableBytes', 200 * mib],
  ['a cgroup', 'session.utilizationRatio', 0.5],
  ['a cgroup', 'session.peakBytes', 390 * mib],
  ['a cgroup', 'container.chargedBytes', 250 * mib],
])('where %s binds, %s is %d', (binding, field, expected) => {
  const sample = binding === 'a cgroup' ? inCgroup : inMachine;
  expect(fieldReader(field)(viewOf(sample, 555 * mib))).toBe(expected);
});

test('a cgroup without a limit of its own is no container', () => {
  const sample = fakeSample({ second: 0, cgroup: { limitBytes: null, chargedBytes: 5 } });
  expect(fieldReader('container.chargedBytes')(viewOf(sample, null))).toBeNull();
  expect(fieldReader('session.peakBytes')(viewOf(sample, null))).toBeNull();
});
