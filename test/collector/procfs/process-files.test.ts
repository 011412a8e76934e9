import { describe, expect, test } from 'vitest';
import { ProcessFiles } from '../../../src/collector/procfs/process-files.ts';
import { FakeProc } from '../../support/fake-proc.ts';

const stat = { startTicks: 70, comm: 'node' };

function filesOf(fake: FakeProc, budget = { left: 10 }) {
  return { files: new ProcessFiles(fake.procFs, 7, budget), budget };
}

describe('descriptors', () => {
  test('one for each of stat and statm, kept and given back', () => {
    const fake = new FakeProc();
    fake.start(7);
    const { files, budget } = filesOf(fake);
    for (let tick = 0; tick < 3; tick++) {
      expect(files.stat()).toMatchObject(stat);
      expect(files.statm()).toEqual({ residentPages: 5_000, sharedPages: 2_000 });
      expect(files.status()?.peakRssBytes).toBe(20_000 * 1024);
      expect(files.smapsRollup()?.pssBytes).toBe(15_000 * 1024);
      expect(files.commandLine()).toBe('/usr/bin/node\0task.js\0');
      expect(fake.openCount).toBe(2);
      expect(budget.left).toBe(8);
    }
    files.close();
    files.close();
    expect(fake.openCount).toBe(0);
    expect(budget.left).toBe(10);
  });

  test('without a budget each read opens and closes', () => {
    const fake = new FakeProc();
    fake.start(7);
    const { files, budget } = filesOf(fake, { left: 1 });
    expect(files.stat()).toMatchObject(stat);
    expect(files.statm()).toEqual({ residentPages: 5_000, sharedPages: 2_000 });
    expect(fake.openCount).toBe(1);
    expect(budget.left).toBe(0);
    files.close();
    expect(budget.left).toBe(1);
  });

  test('none left at all: a failed read, tried again the next time', () => {
    const fake = new FakeProc();
    fake.start(7);
    const { files, budget } = filesOf(fake);
    fake.mostOpen = 0;
    expect(files.stat()).toBe('failed');
    expect(files.statm()).toBeNull();
    expect(budget.left).toBe(10);
    fake.mostOpen = 5;
    expect(files.stat()).toMatchObject(stat);
  });
});

describe('a process that goes', () => {
  test('kept descriptors know, also when another has the pid by now', () => {
    const fake = new FakeProc();
    fake.start(7);
    const { files } = filesOf(fake);
    expect(files.stat()).toMatchObject(stat);
    expect(files.statm()).not.toBeNull();
    fake.end(7);
    expect(files.stat()).toBe('gone');
    fake.start(7, { startTicks: 9_000 });
    expect(files.stat()).toBe('gone');
    expect(files.statm()).toBeNull();
  });

  test('every file of it is absent', () => {
    const { files } = filesOf(new FakeProc());
    expect(files.stat()).toBe('gone');
    expect(files.statm()).toBeNull();
    expect(files.status()).toBeNull();
    expect(files.smapsRollup()).toBeNull();
    expect(files.commandLine()).toBe('');
    expect(files.executable()).toBeNull();
    expect(files.oomScoreAdj()).toBeNull();
    expect(files.cgroup()).toBeNull();
    expect(files.io()).toBeNull();
    expect(files.descriptorCount()).toBeNull();
  });

  test('a zombie answers for stat and has no memory', () => {
    const fake = new FakeProc();
    fake.start(7);
    fake.becomeZombie(7);
    const { files } = filesOf(fake);
    expect(files.stat()).toMatchObject({ state: 'Z', startTicks: 70 });
    expect(files.statm()).toBeNull();
    expect(files.smapsRollup()).toBeNull();
    expect(files.commandLine()).toBe('');
  });
});

test('what seldom changes', () => {
  const fake = new FakeProc();
  const cgroup = '4:memory:/session\n0::/\n';
  fake.start(7, { oomScoreAdj: 300, cgroup, readBytes: 8_192, writtenBytes: 4_096 });
  const { files } = filesOf(fake);
  expect(files.oomScoreAdj()).toBe(300);
  expect(files.cgroup()).toBe('/session');
  expect(files.io()).toEqual({ readBytes: 8_192, writtenBytes: 4_096 });
  expect(fake.openCount).toBe(0);
});

describe('descriptors of the process', () => {
  test('since Linux 6.2 their number is the size of the directory', () => {
    const fake = new FakeProc();
    fake.start(7, { descriptors: 170 });
    expect(filesOf(fake).files.descriptorCount()).toBe(170);
  });

  test.each([170, 0])('before it they are counted: %i', (descriptors) => {
    const fake = new FakeProc();
    fake.hasDescriptorSizes = false;
    fake.start(7, { descriptors });
    expect(filesOf(fake).files.descriptorCount()).toBe(descriptors);
  });

  test('of another user, before it', () => {
    const fake = new FakeProc();
    fake.start(7, { faults: { fd: 'EACCES' } });
    expect(filesOf(fake).files.descriptorCount()).toBeNull();
  });
});

test.each([
  ['EACCES', 'denied'],
  ['EIO', 'failed'],
])('%s on stat is "%s"', (code, absence) => {
  const fake = new FakeProc();
  fake.start(7, { faults: { stat: code } });
  expect(filesOf(fake).files.stat()).toBe(absence);
});

test('bytes that are no stat are a failed read', () => {
  const fake = new FakeProc();
  fake.start(7, { files: { stat: 'garbage' } });
  expect(filesOf(fake).files.stat()).toBe('failed');
});

test.each([
  ['/usr/lib/chromium/chromium', 'chromium'],
  ['/opt/chrome (deleted)', 'chrome'],
  ['/opt/Google Chrome', 'Google Chrome'],
])('the executable %s is %s', (exe, name) => {
  const fake = new FakeProc();
  fake.start(7, { exe });
  expect(filesOf(fake).files.executable()).toBe(name);
});
