import type { ExportOptions, ExportResult } from './export-options.ts';
import { ExportRun } from './export-run.ts';
import type { Stop } from './otlp/persistent-send.ts';

export interface FollowOptions extends ExportOptions {
  /** How often the file is looked at. Default: 5 s. */
  pollMs?: number;
  /**
   * How far behind the recorder the export stays. A process shows its role some seconds late, and
   * what was sent cannot be taken back. Default: 5 s.
   */
  settleMs?: number;
}

const defaultPollMs = 5_000;
const defaultSettleMs = 5_000;
const defaultDeadlineMs = 5_000;
const retryFailedMs = 60_000;

/**
 * Sends what is recorded and was not sent before, up to the last committed tick, and closes the
 * session when the recording has ended. Throws only for a file that cannot be read; what the
 * network did is in the result.
 */
export async function exportRecording(path: string, options: ExportOptions): Promise<ExportResult> {
  const run = new ExportRun(path, options);
  const onStop = (): void => run.deadline.endIsNear(options.deadlineMs ?? defaultDeadlineMs);
  options.stop?.addEventListener('abort', onStop);
  if (options.stop?.aborted) onStop();
  run.deadline.start(options.deadlineMs ?? null);
  try {
    return run.result(await run.pass({ settleMs: 0 }));
  } finally {
    options.stop?.removeEventListener('abort', onStop);
    run.close();
  }
}

/**
 * Sends while it is being recorded, until the recording has ended or `stop` says so; then sends the
 * rest, for as long as `deadlineMs` allows. Wrong settings do not end it: they may be set right
 * while the recorder runs.
 */
export async function followRecording(path: string, options: FollowOptions): Promise<ExportResult> {
  const run = new ExportRun(path, options);
  const endIsNear = (): void => run.deadline.endIsNear(options.deadlineMs ?? null);
  const onStop = (): void => run.deadline.endIsNear(options.deadlineMs ?? defaultDeadlineMs);
  options.stop?.addEventListener('abort', onStop);
  if (options.stop?.aborted) onStop();
  const pollMs = options.pollMs ?? defaultPollMs;
  const watch = run.watchEnd(pollMs, endIsNear);
  try {
    let stop: Stop | null = null;
    while (!run.deadline.hurry.aborted) {
      stop = await run.pass({ settleMs: options.settleMs ?? defaultSettleMs });
      if (stop !== null) run.warnOf(stop);
      await run.sleep(stop === null ? pollMs : retryFailedMs, run.deadline.hurry);
    }
    if (!run.deadline.over.aborted) stop = await run.pass({ settleMs: 0 });
    return run.result(stop);
  } finally {
    options.stop?.removeEventListener('abort', onStop);
    run.close();
    await watch;
  }
}
