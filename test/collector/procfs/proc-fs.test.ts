import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FileCalls } from '../../../src/collector/procfs/proc-fs.ts';
import { ProcFs } from '../../../src/collector/procfs/proc-fs.ts';
import { FakeProc, systemError } from '../../support/fake-proc.ts';

describe('absence is a value', () => {
  test.each([
    ['ENOENT', 'gone'],
    ['ESRCH', 'gone'],
    ['ENOTDIR', 'gone'],
    ['EACCES', 'denied'],
    ['EPERM', 'denied'],
    ['EMFILE', 'failed'],
    ['EIO', 'failed'],
    ['EOPNOTSUPP', 'failed'],
  ])('%s at open is "%s"', (code, absence) => {
    const fake = new FakeProc();
    fake.faults.set('meminfo', code);
    expect(fake.procFs.open('meminfo')).toBe(absence);
    expect(fake.procFs.read('meminfo')).toBe(absence);
    expect(fake.procFs.text('meminfo')).toBeNull();
    expect(fake.openCount).toBe(0);
  });

  test('a failed read closes what was opened', () => {
    const fake = new FakeProc();
    fake.start(7, { faults: { stat: { read: 'ESRCH' } } });
    expect(fake.procFs.read('7/stat')).toBe('gone');
    expect(fake.openCount).toBe(0);
  });

  test('an error of the program is not swallowed', () => {
    const broken = () => {
      throw new RangeError('offset');
    };
    const calls = {
      openSync: broken,
      readvSync: broken,
      readlinkSync: broken,
      statSync: broken,
      readdirSync: broken,
    };
    const proc = new ProcFs('/fake', calls as unknown as FileCalls);
    expect(() => proc.read('meminfo')).toThrow(RangeError);
    expect(() => proc.link('1/exe')).toThrow(RangeError);
    expect(() => proc.directorySize('1/fd')).toThrow(RangeError);
    expect(() => proc.entries('1/fd')).toThrow(RangeError);
  });
});

describe('a kept descriptor', () => {
  test('is read from its start again and again', () => {
    const fake = new FakeProc();
    const fd = fake.procFs.open('uptime') as number;
    fake.machine['uptime'] = '1.00 2.00\n';
    expect(fake.procFs.readOpen(fd)).toBe(10);
    fake.machine['uptime'] = '10.00 20.00\n';
    expect(fake.procFs.readOpen(fd)).toBe(12);
    expect(fake.procFs.buffer.toString('latin1', 0, 12)).toBe('10.00 20.00\n');
  });

  test('a file that is longer than the buffer is cut', () => {
    const fake = new FakeProc();
    fake.start(7, { cmdline: 'x'.repeat(100_000) });
    expect(fake.procFs.text('7/cmdline')).toHaveLength(64 * 1024);
  });
});

describe('pids', () => {
  test('are the directories with a number for a name', () => {
    const fake = new FakeProc();
    for (const pid of [4194304, 1, 300]) fake.start(pid);
    expect(fake.procFs.pids()).toEqual([1, 300, 4194304]);
  });

  test('none', () => {
    expect(new FakeProc().procFs.pids()).toEqual([]);
  });

  test('a root that cannot be listed is MACHINE_UNREADABLE, with what to do', () => {
    const fake = new FakeProc();
    fake.faults.set('/', 'ENOENT');
    expect(() => fake.procFs.pids()).toThrow(
      expect.objectContaining({
        code: 'MACHINE_UNREADABLE',
        message: expect.stringContaining('/fake'),
        hint: expect.stringContaining('mount'),
        cause: systemError('ENOENT'),
      }),
    );
  });
});

test('links: where one points, null where it cannot be read', () => {
  const fake = new FakeProc();
  fake.start(7, { exe: '/usr/lib/chromium/chromium' });
  fake.start(8, { faults: { exe: 'EACCES' } });
  expect(fake.procFs.link('7/exe')).toBe('/usr/lib/chromium/chromium');
  expect(fake.procFs.link('8/exe')).toBeNull();
  expect(fake.procFs.link('9/exe')).toBeNull();
});

test('directories: size and number of entries, null where they cannot be read', () => {
  const fake = new FakeProc();
  fake.start(7, { descriptors: 12 });
  fake.start(8, { faults: { fd: 'EACCES' } });
  expect([fake.procFs.directorySize('7/fd'), fake.procFs.entries('7/fd')?.length]).toEqual([
    12, 12,
  ]);
  for (const pid of [8, 9]) {
    expect(fake.procFs.directorySize(`${pid}/fd`)).toBeNull();
    expect(fake.procFs.entries(`${pid}/fd`)).toBeNull();
  }
});

test('the real /proc: the same bytes as any other reader gets', () => {
  const proc = new ProcFs();
  expect(proc.text('self/cmdline')).toBe(readFileSync('/proc/self/cmdline', 'latin1'));
  expect(proc.pids()).toContain(process.pid);
  expect(proc.link('self/exe')).toBe(process.execPath);
});
