import { parentPort } from 'node:worker_threads';
import { analyse } from '../../../analysis/session-report.ts';
import { renderJson } from '../../../report/json.ts';
import { recordingSummary } from '../../../report/page/recording-summary.ts';
import { openRecording } from '../../../store/reader.ts';
import { expectedProblem } from '../problem-teller.ts';
import type { Analysed, AnalysisJob } from './analyses.ts';

/** A thread of its own: an analysis reads every sample, which takes seconds where there are many. */
parentPort?.on('message', (job: AnalysisJob) => {
  parentPort?.postMessage(analysed(job));
});

function analysed({ path, wants }: AnalysisJob): Analysed {
  try {
    using recording = openRecording(path);
    const report = analyse(recording);
    return {
      summary: recordingSummary(recording, report),
      report: wants === 'report' ? renderJson(report) : null,
    };
  } catch (error) {
    const problem = expectedProblem(error);
    if (problem === null) throw error;
    return { problem };
  }
}
