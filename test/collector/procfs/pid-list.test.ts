import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PidList } from '../../../src/collector/procfs/pid-list.ts';
import { FakeProc } from '../../support/fake-proc.ts';

const pids = fc.uniqueArray(fc.integer({ min: 1, max: 60 }));

test('gives what appeared and what is gone, wherever in the list it was', () => {
  fc.assert(
    fc.property(fc.array(pids, { maxLength: 6 }), (looks) => {
      const fake = new FakeProc();
      const list = new PidList(fake.procFs);
      const known = new Set<number>();
      for (const look of looks) {
        for (const pid of fake.processes.keys()) if (!look.includes(pid)) fake.end(pid);
        for (const pid of look) if (!fake.processes.has(pid)) fake.start(pid);
        const { appeared, gone } = list.update(null);
        for (const pid of gone) expect(known.delete(pid)).toBe(true);
        for (const pid of appeared) expect(known.has(pid)).toBe(false);
        for (const pid of appeared) known.add(pid);
        expect([...known].sort()).toEqual([...look].sort());
      }
    }),
  );
});

describe('while nobody started and nobody is gone', () => {
  test('/proc is listed in one look of five', () => {
    const fake = new FakeProc();
    const list = new PidList(fake.procFs);
    fake.start(7);
    expect(list.update('100 20')).toEqual({ appeared: [7], gone: [] });
    for (let look = 1; look < 11; look++) list.update('100 20');
    expect(fake.listCount).toBe(3);
  });

  test.each(['101 20', '100 21', null])('it is at once when that changes to %s', (population) => {
    const fake = new FakeProc();
    const list = new PidList(fake.procFs);
    list.update('100 20');
    list.update('100 20');
    fake.start(8);
    expect(list.update(population)).toEqual({ appeared: [8], gone: [] });
    expect(fake.listCount).toBe(2);
  });

  test('it is in every look where nobody tells', () => {
    const fake = new FakeProc();
    const list = new PidList(fake.procFs);
    for (let look = 0; look < 3; look++) list.update(null);
    expect(fake.listCount).toBe(3);
  });
});
