import { expect, test } from 'vitest';
import { trackForks } from '../../src/analysis/forks.ts';
import { analyse } from '../../src/analysis/session-report.ts';
import type { Sample } from '../../src/model/sample.ts';
import type { TimeRange } from '../../src/model/time-range.ts';
import { renderText } from '../../src/report/text.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, startUnixMs } from '../support/fake-sample.ts';

function createdIn(...counts: (number | null)[]): number | null {
  const tracker = trackForks();
  counts.forEach((forkCount, second) => {
    tracker.add(fakeSample({ second, activity: { forkCount } }));
  });
  return tracker.result();
}

test.each<[string, (number | null)[], number | null]>([
  ['the difference', [1_000, 1_004, 1_010], 10],
  ['nothing', [1_000, 1_000], 0],
  ['a second boot counts from its own beginning', [1_000, 1_004, 50, 53], 7],
  ['not told for once', [1_000, 1_004, null, 1_010, 1_011], 5],
  ['never told', [null, null], null],
  ['a single sample', [1_000], null],
])('created: %s', (_, counts, created) => {
  expect(createdIn(...counts)).toBe(created);
});

/**
 * A shell that is there all the time; a compiler with 4 threads, then 6, from second 1; a browser
 * that grows from 10 threads to 13. That makes 6 + 3 seen of what was created.
 */
function samples(createdASecond: number | null): Sample[] {
  return [0, 1, 2].map((second) =>
    fakeSample({
      second,
      activity: { forkCount: createdASecond === null ? null : 500 + createdASecond * second },
      processes: [
        fakeProcess({ pid: 10, role: 'other', comm: 'sh', threadCount: 1 }),
        fakeProcess({ pid: 20, role: 'browser', threadCount: second === 0 ? 10 : 13 }),
        ...(second === 0
          ? []
          : [fakeProcess({ pid: 30, role: 'other', threadCount: second === 1 ? 4 : 6 })]),
      ],
    }),
  );
}

function reportOf(createdASecond: number | null, range: TimeRange = {}) {
  return analyse(fakeRecording({ samples: samples(createdASecond), events: [] }), range);
}

test('new processes and threads that were sampled are seen, the rest is not', () => {
  const report = reportOf(20);
  expect(report.coverage.forks).toEqual({ createdCount: 40, seenCount: 9, unseenCount: 31 });
  expect(renderText(report)).toContain(
    '  40 processes and threads began on this machine, 9 of them seen',
  );
});

test('a part: what was there at its first sample is not new', () => {
  const range = { fromUnixMs: startUnixMs + 1_000 };
  expect(reportOf(20, range).coverage.forks).toEqual({
    createdCount: 20,
    seenCount: 2,
    unseenCount: 18,
  });
});

test('never more seen than the kernel counted', () => {
  expect(reportOf(1).coverage.forks).toEqual({ createdCount: 2, seenCount: 2, unseenCount: 0 });
});

test('unknown is no zero', () => {
  const report = reportOf(null);
  expect(report.coverage.forks).toBeNull();
  expect(renderText(report)).not.toContain('began on this machine');
});
