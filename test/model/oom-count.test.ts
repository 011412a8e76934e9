import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { unrecordedKills } from '../../src/model/oom-count.ts';

test('case 065: the counter says more than the log', () => {
  const directory = new URL(
    '../fixtures/cases/065-counter-says-more-than-the-log/',
    import.meta.url,
  );
  const [before, after] = readFileSync(new URL('samples.jsonl', directory), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const expected = JSON.parse(readFileSync(new URL('expected.json', directory), 'utf8'));
  const counted = after.vmstat_oom_kill - before.vmstat_oom_kill;
  expect(unrecordedKills(counted, expected.detailed)).toBe(expected.unexplained);
});

test.each([
  ['no counter', null, 3, null],
  ['all recorded', 3, 3, 0],
  ['more records than counts: the counter was read before the log', 2, 3, 0],
])('%s', (_, counted, recorded, expected) => {
  expect(unrecordedKills(counted, recorded)).toBe(expected);
});
