/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 *
 * @typedef {object} VitestReport Vitest's JSON report, as far as it is read here.
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults
 */

/**
 * Counts a vitest run. What fails outside of a test (a file that cannot be loaded, an error that
 * nobody caught, a run that broke off) counts as a failed test, so that no failure is hidden.
 *
 * @param {string | null} reportText Null when there is no report.
 * @param {number} exitCode Of vitest.
 * @returns {Counts}
 */
export function readVitestReport(reportText, exitCode) {
  if (reportText === null) return { passed: 0, failed: 1, skipped: 0 };
  const report = /** @type {VitestReport} */ (JSON.parse(reportText));
  const brokenFiles = report.testResults.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * Counts a check that is not a vitest test as one test.
 *
 * @param {Counts} counts
 * @param {number} exitCode
 * @returns {Counts}
 */
export function addCheck(counts, exitCode) {
  return exitCode === 0
    ? { ...counts, passed: counts.passed + 1 }
    : { ...counts, failed: counts.failed + 1 };
}

/**
 * The last line of `npm test`.
 *
 * @param {Counts} counts
 */
export function summaryLine({ passed, failed, skipped }) {
  const skips = skipped === 0 ? '' : `, ${skipped} skipped`;
  return `${passed} passed, ${failed} failed${skips}`;
}
