import { describe, expect, test } from 'vitest';
import { addCheck, readVitestReport, summaryLine } from '../../scripts/test-summary.mjs';

const passedTest = { status: 'passed' };
const failedTest = { status: 'failed' };

function report(counts: object, testResults: object[] = []): string {
  const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
  return JSON.stringify({ ...none, ...counts, testResults });
}

describe('the counts of a run', () => {
  test.each([
    ['all pass', report({ numPassedTests: 3 }), 0, { passed: 3, failed: 0, skipped: 0 }],
    [
      'one fails',
      report({ numPassedTests: 2, numFailedTests: 1 }, [
        { status: 'failed', assertionResults: [passedTest, failedTest, passedTest] },
      ]),
      1,
      { passed: 2, failed: 1, skipped: 0 },
    ],
    [
      'skipped and to do',
      report({ numPassedTests: 1, numPendingTests: 2, numTodoTests: 1 }),
      0,
      { passed: 1, failed: 0, skipped: 3 },
    ],
    [
      'a file that cannot be loaded',
      report({ numPassedTests: 2 }, [{ status: 'failed', assertionResults: [] }]),
      1,
      { passed: 2, failed: 1, skipped: 0 },
    ],
    [
      'an error that nobody caught',
      report({ numPassedTests: 2 }),
      1,
      { passed: 2, failed: 1, skipped: 0 },
    ],
    ['no report at all', null, 1, { passed: 0, failed: 1, skipped: 0 }],
  ])('%s', (_, text, exitCode, counts) => {
    expect(readVitestReport(text, exitCode)).toEqual(counts);
  });

  test('a check counts as one test', () => {
    const counts = { passed: 1, failed: 0, skipped: 0 };
    expect(addCheck(counts, 0)).toEqual({ passed: 2, failed: 0, skipped: 0 });
    expect(addCheck(counts, 2)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });
});

test.each([
  [{ passed: 12, failed: 0, skipped: 0 }, '12 passed, 0 failed'],
  [{ passed: 11, failed: 1, skipped: 2 }, '11 passed, 1 failed, 2 skipped'],
])('the last line for %j', (counts, line) => {
  expect(summaryLine(counts)).toBe(line);
});
