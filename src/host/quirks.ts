import type { OutputChannel, ProcessEnd } from './process/frame.ts';
import { OutputLog } from './process/output-log.ts';
import { QuirkQueue } from './process/quirk-queue.ts';

/**
 * What is different where the host behaves like the real in-VM server. Each field is one behaviour
 * that was measured there; with --quirks it is {@link faithful} to all of them.
 */
export interface HostPolicy {
  makeOutput(file: string): OutputChannel;
  /** What is told of the end of a process. */
  tellEnd(end: ProcessEnd): { exit_code: number | null; signal?: string | null };
  /** How long an ended process can be asked for; null: as long as its session lives. */
  endedKeptMs: number | null;
  /** Headers of the output stream go out with the first output, not at once; no comments. */
  streamWaits: boolean;
  /** The status of an exec that timed out, and of calls that come after the end of a process. */
  failedStatus: { timeout: number; ended: number };
  /** Whether a 5xx tells SDKs not to repeat the call: without it the command runs again. */
  forbidsRetry: boolean;
  /** A signal reaches the whole process group, not only the process itself. */
  signalsGroup: boolean;
  /** `timeout_sec` of spawn works. */
  limitsSpawn: boolean;
  /** CPU use is told; the real server says 0. */
  tellsCpu: boolean;
  /** Processes are listed, and found by pid. */
  listsProcesses: boolean;
  /** Output of a process on a terminal is streamed. */
  streamsTerminals: boolean;
  /** Calls of the API keep a session alive, not only a connected browser client. */
  callsCount: boolean;
  /** A folder without files is listed as `[]`, not as `null`. */
  listsEmptyFolders: boolean;
  /** Several categories in one value, joined by commas, as the SDK sends them, are understood. */
  splitsCategories: boolean;
}

export const better: HostPolicy = {
  makeOutput: (file) => new OutputLog(file),
  tellEnd: ({ exitCode, signal }) => ({ exit_code: exitCode, signal }),
  endedKeptMs: null,
  streamWaits: false,
  failedStatus: { timeout: 504, ended: 400 },
  forbidsRetry: true,
  signalsGroup: true,
  limitsSpawn: true,
  tellsCpu: true,
  listsProcesses: true,
  streamsTerminals: true,
  callsCount: true,
  listsEmptyFolders: true,
  splitsCategories: true,
};

export const faithful: HostPolicy = {
  makeOutput: () => new QuirkQueue(),
  tellEnd: ({ exitCode }) => ({ exit_code: exitCode ?? -1 }),
  endedKeptMs: 10_000,
  streamWaits: true,
  failedStatus: { timeout: 500, ended: 500 },
  forbidsRetry: false,
  signalsGroup: false,
  limitsSpawn: false,
  tellsCpu: false,
  listsProcesses: false,
  streamsTerminals: false,
  callsCount: false,
  listsEmptyFolders: false,
  splitsCategories: false,
};
