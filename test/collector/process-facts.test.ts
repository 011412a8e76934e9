import { describe, expect, test } from 'vitest';
import { type MemberFacts, readFacts } from '../../src/collector/process-facts.ts';
import { ProcessFiles } from '../../src/collector/procfs/process-files.ts';
import { FakeProc } from '../support/fake-proc.ts';

/** Reads the facts of one process again and again. */
function reading() {
  const fake = new FakeProc();
  fake.start(7, {
    oomScoreAdj: 300,
    cgroup: '0::/session\n',
    descriptors: 27,
    readBytes: 4_096,
    writtenBytes: 8_192,
  });
  const files = new ProcessFiles(fake.procFs, 7, { left: 0 });
  let facts: MemberFacts | null = null;
  const read = () => {
    facts = readFacts(files, facts);
    return facts;
  };
  return { fake, read };
}

test('all of them at once', () => {
  const { read } = reading();
  expect(read()).toEqual({
    oomScoreAdj: 300,
    cgroup: '/session',
    descriptorCount: 27,
    readBytes: 4_096,
    writtenBytes: 8_192,
    turnCount: 1,
  });
});

describe('from reading to reading', () => {
  test('they are read at six turns, then at every sixth; in between they are as they were', () => {
    const { fake, read } = reading();
    const told: (number | null)[] = [];
    for (let turn = 0; turn < 20; turn++) {
      fake.change(7, { descriptors: turn });
      told.push(read().descriptorCount);
    }
    expect(told).toEqual([0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 6, 12, 12, 12, 12, 12, 12, 18, 18]);
    for (const file of ['io', 'cgroup', 'oom_score_adj']) {
      expect(fake.readCounts.get(`7/${file}`)).toBe(9);
    }
  });

  test('what cannot be read any more stays', () => {
    const { fake, read } = reading();
    const { turnCount: _, ...known } = read();
    fake.end(7);
    expect(read()).toMatchObject(known);
  });
});

test('another user’s process: what is denied is unknown, the rest is there', () => {
  const { fake, read } = reading();
  fake.change(7, { faults: { io: 'EACCES' } });
  expect(read()).toMatchObject({
    oomScoreAdj: 300,
    cgroup: '/session',
    descriptorCount: 27,
    readBytes: null,
    writtenBytes: null,
  });
});
