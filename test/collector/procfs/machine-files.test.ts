import { describe, expect, test } from 'vitest';
import { MachineFiles } from '../../../src/collector/procfs/machine-files.ts';
import { FakeProc } from '../../support/fake-proc.ts';

const units = { clockTicksPerSecond: 100, pageSizeBytes: 4096 };

test('one reading of all of them; descriptors are kept and given back', () => {
  const fake = new FakeProc();
  const files = new MachineFiles(fake.procFs, units);
  const reading = files.read();
  expect(reading.unreadable).toEqual([]);
  expect(reading.memory.totalBytes).toBe(2 ** 30);
  expect(reading.activity).toMatchObject({ cpuUserMs: 1_000, forkCount: 4_000, oomKillCount: 0 });
  expect(reading.pressure).toEqual({
    memorySomeMs: 0,
    memoryFullMs: 0,
    cpuSomeMs: 0,
    ioSomeMs: 0,
    ioFullMs: 0,
  });
  expect(reading.uptimeSeconds).toBe(3_000);

  expect(reading.population).toBeNull();

  fake.machine['meminfo'] = 'MemTotal: 1048576 kB\nMemFree: 1 kB\n';
  expect(files.read().memory.freeBytes).toBe(1024);
  expect(fake.openCount).toBe(7);
  files.close();
  expect(fake.openCount).toBe(0);
});

test('the population, of forks and threads', () => {
  const fake = new FakeProc();
  fake.machine['loadavg'] = '0.50 0.40 0.30 1/321 4711\n';
  expect(new MachineFiles(fake.procFs, units).read().population).toBe('4000 321');
});

describe('what cannot be read is unknown, and named with its reason', () => {
  test.each([
    ['ENOENT', 'missing'],
    ['EACCES', 'denied'],
    ['EIO', 'failed'],
  ])('%s is "%s"', (code, reason) => {
    const fake = new FakeProc();
    for (const name of ['vmstat', 'stat', 'uptime', 'pressure/memory']) fake.faults.set(name, code);
    const reading = new MachineFiles(fake.procFs, units).read();
    expect(new Set(Object.values(reading.activity))).toEqual(new Set([null]));
    expect(reading.pressure).toMatchObject({ memorySomeMs: null, memoryFullMs: null, ioSomeMs: 0 });
    expect(reading.uptimeSeconds).toBeNull();
    expect(reading.unreadable).toEqual(
      expect.arrayContaining([
        { source: '/fake/vmstat', reason },
        { source: '/fake/stat', reason },
        { source: '/fake/uptime', reason },
        { source: '/fake/pressure/memory', reason },
      ]),
    );
    expect(reading.unreadable).toHaveLength(4);
  });

  test('an uptime that is none', () => {
    const fake = new FakeProc();
    fake.machine['uptime'] = 'soon\n';
    const reading = new MachineFiles(fake.procFs, units).read();
    expect(reading.uptimeSeconds).toBeNull();
    expect(reading.unreadable).toEqual([{ source: '/fake/uptime', reason: 'malformed' }]);
  });

  test('what is missing is not looked for at every tick', () => {
    const fake = new FakeProc();
    fake.faults.set('vmstat', 'ENOENT');
    const files = new MachineFiles(fake.procFs, units);
    files.read();
    fake.faults.clear();
    expect(files.read().unreadable).toEqual([{ source: '/fake/vmstat', reason: 'missing' }]);
  });

  test('a lack of descriptors passes', () => {
    const fake = new FakeProc();
    fake.faults.set('vmstat', 'EMFILE');
    const files = new MachineFiles(fake.procFs, units);
    expect(files.read().unreadable).toEqual([{ source: '/fake/vmstat', reason: 'failed' }]);
    fake.faults.clear();
    const reading = files.read();
    expect(reading.unreadable).toEqual([]);
    expect(reading.activity.oomKillCount).toBe(0);
  });
});

test.each([
  ['missing', (fake: FakeProc) => fake.faults.set('meminfo', 'ENOENT')],
  [
    'malformed',
    (fake: FakeProc) => {
      fake.machine['meminfo'] = 'cpu 1 2 3\n';
    },
  ],
])('without the memory of the machine there is no reading: %s', (_, damage) => {
  const fake = new FakeProc();
  damage(fake);
  expect(() => new MachineFiles(fake.procFs, units).read()).toThrow(
    expect.objectContaining({
      code: 'MACHINE_UNREADABLE',
      message: expect.stringContaining('/fake/meminfo'),
    }),
  );
});
