import { HeadroomError } from '../model/errors.ts';
import { openRecording } from '../store/reader.ts';
import { Deadline, timerSleep } from './deadline.ts';
import type { ExportOptions, ExportResult, SignalResult } from './export-options.ts';
import { ExportRun, type RunOptions } from './export-run.ts';
import type { Item } from './otlp/batch.ts';
import type { Stop } from './otlp/persistent-send.ts';
import { type ExportSignal, logsSignal, metricsSignal } from './otlp/signal.ts';
import { SelfReport } from './self-report.ts';

export interface FollowOptions extends ExportOptions {
  /** How often the file is looked at. Default: 5 s. */
  pollMs?: number;
  /**
   * How far behind the recorder the export stays. A process shows its role some seconds late, and
   * what was sent cannot be taken back. Default: 5 s.
   */
  settleMs?: number;
}

/** `afterPass`: there may be something to say of the export itself. */
type Work = (run: ExportRun, afterPass: () => Promise<void>) => Promise<SignalResult>;

const defaultPollMs = 5_000;
const defaultSettleMs = 5_000;
const defaultDeadlineMs = 5_000;
const retryFailedMs = 60_000;
const mostWarnings = 30;

/**
 * Sends what is recorded and was not sent before, up to the last committed tick, and closes the
 * session when the recording has ended. Throws only for a file that cannot be read; what the
 * network did is in the result.
 */
export async function exportRecording(path: string, options: ExportOptions): Promise<ExportResult> {
  const deadline = new Deadline(options.runtime?.sleep ?? timerSleep);
  deadline.start(options.deadlineMs ?? null);
  return await exportSignals(path, { ...options, deadline }, async (run) =>
    run.result(await run.pass({ settleMs: 0 })),
  );
}

/**
 * Sends while it is being recorded, until the recording has ended or `stop` says so; then sends the
 * rest, for as long as `deadlineMs` allows. Wrong settings do not end it: they may be set right
 * while the recorder runs.
 */
export async function followRecording(path: string, options: FollowOptions): Promise<ExportResult> {
  const deadline = new Deadline(options.runtime?.sleep ?? timerSleep);
  const pollMs = options.pollMs ?? defaultPollMs;
  const settleMs = options.settleMs ?? defaultSettleMs;
  const endIsNear = (): void => deadline.endIsNear(options.deadlineMs ?? null);
  const watch = watchEnd(path, { ...options, deadline, pollMs }, endIsNear);
  try {
    return await exportSignals(path, { ...options, deadline }, async (run, afterPass) => {
      let stop: Stop | null = null;
      while (!deadline.hurry.aborted) {
        stop = await run.pass({ settleMs });
        if (stop === null) await afterPass();
        else run.warnOf(stop);
        await run.sleep(stop === null ? pollMs : retryFailedMs, deadline.hurry);
      }
      if (!deadline.over.aborted) stop = await run.pass({ settleMs: 0 });
      return run.result(stop);
    });
  } finally {
    await watch;
  }
}

/** Points and events each at their own pace: the one may have a receiver that the other has not. */
async function exportSignals(
  path: string,
  options: Omit<RunOptions, 'warn'>,
  work: Work,
): Promise<ExportResult> {
  const { deadline, target } = options;
  const onStop = (): void => deadline.endIsNear(options.deadlineMs ?? defaultDeadlineMs);
  options.stop?.addEventListener('abort', onStop);
  if (options.stop?.aborted) onStop();
  try {
    const warn = warner(options);
    for (const warning of target.warnings) warn(warning);
    const runOf = <T extends Item>(signal: ExportSignal<T>): ExportRun =>
      new ExportRun(path, signal, { ...options, warn });
    const runs = [runOf(metricsSignal(target, options))];
    if (target.logs !== null) runs.push(runOf(logsSignal(target.logs, target)));
    const self = options.reportsItself === true ? new SelfReport(path, runs, options) : null;
    const tell = async () => await self?.tell();
    const works = runs.map((run) => endingAll(deadline, work(run, tell)));
    // Both have ended before one failure is told.
    await Promise.allSettled(works);
    const [metrics, logs] = await Promise.all(works);
    if (metrics === undefined) throw new TypeError('there is always a result for metrics');
    if (metrics.problem === null) await self?.tellLast();
    return { ...metrics, logs: logs ?? null };
  } finally {
    options.stop?.removeEventListener('abort', onStop);
    deadline.close();
  }
}

async function endingAll<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    deadline.endNow();
    throw error;
  }
}

/** Calls back when the recorder is gone; resolves then, or when the export's end is near anyway. */
async function watchEnd(
  path: string,
  { deadline, pollMs, runtime }: FollowOptions & { deadline: Deadline; pollMs: number },
  onEnd: () => void,
): Promise<void> {
  const open = runtime?.open ?? openRecording;
  const sleep = runtime?.sleep ?? timerSleep;
  const hasEnded = (): boolean => {
    try {
      using recording = open(path);
      return !recording.isLive;
    } catch (error) {
      // The next pass meets the same error, if it lasts, and tells it.
      if (error instanceof HeadroomError) return false;
      throw error;
    }
  };
  while (!deadline.hurry.aborted) {
    if (hasEnded()) onEnd();
    else await sleep(pollMs, deadline.hurry);
  }
}

// The same text once; a receiver that puts a time into each of its texts would never end.
function warner({ onEvent }: ExportOptions): (message: string) => void {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message) || told.size >= mostWarnings) return;
    told.add(message);
    onEvent?.({ kind: 'warning', message });
  };
}
