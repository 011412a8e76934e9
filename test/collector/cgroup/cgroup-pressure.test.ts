import fs from 'node:fs';
import { expect, test } from 'vitest';
import { CgroupPressureReader } from '../../../src/collector/cgroup/cgroup-pressure.ts';
import {
  type CgroupLocation,
  locateUnifiedCgroup,
} from '../../../src/collector/cgroup/locate-cgroup.ts';
import { KernelFiles } from '../../support/kernel-files.ts';

const location: CgroupLocation = {
  version: 2,
  mountPoint: '/cg',
  levels: [
    { path: '/s', directory: '/cg/s' },
    { path: '/', directory: '/cg' },
  ],
};

// The format of accounting/psi.rst: total in µs.
const files = {
  '/cg/s/memory.pressure':
    'some avg10=1.00 avg60=0.50 avg300=0.10 total=1234567\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=890123\n',
  '/cg/s/cpu.pressure':
    'some avg10=0.00 avg60=0.00 avg300=0.00 total=5000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n',
  '/cg/s/io.pressure':
    'some avg10=0.00 avg60=0.00 avg300=0.00 total=7999\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n',
};

test('stall times in whole milliseconds', () => {
  expect(new CgroupPressureReader(location, new KernelFiles(files).procFs).read()).toEqual({
    memorySomeMs: 1234,
    memoryFullMs: 890,
    cpuSomeMs: 5,
    ioSomeMs: 7,
    ioFullMs: 1,
  });
});

test('a file that is missing gives null, without any there is no reading', () => {
  const kernel = new KernelFiles({ '/cg/s/memory.pressure': files['/cg/s/memory.pressure'] });
  const reader = new CgroupPressureReader(location, kernel.procFs);
  expect(reader.read()).toMatchObject({ memorySomeMs: 1234, cpuSomeMs: null, ioFullMs: null });
  kernel.removeDirectory('/cg/s');
  expect(reader.read()).toBeNull();
  expect(kernel.openCount).toBe(0);
});

test.runIf(fs.existsSync('/sys/fs/cgroup'))('this machine, where it has a unified cgroup', () => {
  const unified = locateUnifiedCgroup({
    cgroup: fs.readFileSync('/proc/self/cgroup', 'utf8'),
    mountinfo: fs.readFileSync('/proc/self/mountinfo', 'utf8'),
  });
  if (unified === null) return;
  const total = () => {
    const file = `${unified.levels[0]?.directory}/cpu.pressure`;
    const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
    return Math.floor(Number(/some .* total=(\d+)/.exec(text)?.[1]) / 1000);
  };
  const before = total();
  const reader = new CgroupPressureReader(unified);
  const reading = reader.read();
  reader.close();
  if (reading === null) return;
  expect(reading.cpuSomeMs).toBeGreaterThanOrEqual(before);
  expect(reading.cpuSomeMs).toBeLessThanOrEqual(total());
});
