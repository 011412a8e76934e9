import { copyFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { readEarlierRun } from '../../src/store/earlier-run.ts';
import { fakeOomKill, fakeSample, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { recordSamples } from '../support/record-samples.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test('a recording that goes on says when it began and which kills it has, of this boot alone', () => {
  const file = folder.file('task.db');
  expect(readEarlierRun(file, 0)).toBeNull();
  const samples = [0, 10].map((second) => ({
    ...fakeSample({ second }),
    sequence: 1 + second,
    monotonicMs: 5_000 + 1_000 * second,
  }));
  recordSamples(file, samples, { events: [fakeOomKill({ pid: 7, comm: 'x', kmsgSequence: 73 })] });
  expect(readEarlierRun(file, startUnixMs)).toEqual({
    startedMonotonicMs: 5_000,
    killSequence: 73,
  });
  expect(readEarlierRun(file, startUnixMs + 5_000)).toEqual({
    startedMonotonicMs: 15_000,
    killSequence: null,
  });
  expect(readEarlierRun(file, startUnixMs + 60_000)).toBeNull();
});

test('one that came to nothing, or is of an earlier format, is left to its writer', () => {
  const empty = folder.file('begun.db');
  writeFileSync(empty, '');
  expect(readEarlierRun(empty, 0)).toBeNull();
  const earlier = folder.file('format-1.db');
  copyFileSync(new URL('../fixtures/store/format-1.db', import.meta.url), earlier);
  expect(readEarlierRun(earlier, 0)).toBeNull();
});

test('what is no recording is refused', () => {
  const file = folder.file('text.db');
  writeFileSync(file, 'no database, and long enough to be taken for the head of one'.repeat(9));
  expect(() => readEarlierRun(file, 0)).toThrow(
    expect.objectContaining({ code: expect.any(String) }),
  );
});
