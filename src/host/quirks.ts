import type { OutputChannel, ProcessEnd } from './process/frame.ts';
import { OutputLog } from './process/output-log.ts';

/**
 * What is different where the host behaves like the real in-VM server. Each field is one measured
 * behaviour; `faithful` (--quirks) has all of them, `better` none.
 */
export interface HostPolicy {
  makeOutput(file: string): OutputChannel;
  /** What is told of the end of a process. */
  tellEnd(end: ProcessEnd): { exit_code: number | null; signal?: string | null };
  /** How long an ended process can be asked for; null: as long as its session lives. */
  endedKeptMs: number | null;
  /** Headers of the output stream go out with the first output, not at once; no comments. */
  streamWaits: boolean;
  /** A timed-out exec says so in a way that SDKs repeat: the command runs again. */
  timeoutIsRetried: boolean;
  /** A signal reaches the whole process group, not only the process itself. */
  signalsGroup: boolean;
  /** CPU use is told; the real server says 0. */
  tellsCpu: boolean;
  /** Output of a process on a terminal is streamed. */
  streamsTerminals: boolean;
  /** Calls of the API keep a session alive, not only a connected browser client. */
  callsCount: boolean;
}

export const better: HostPolicy = {
  makeOutput: (file) => new OutputLog(file),
  tellEnd: ({ exitCode, signal }) => ({ exit_code: exitCode, signal }),
  endedKeptMs: null,
  streamWaits: false,
  timeoutIsRetried: false,
  signalsGroup: true,
  tellsCpu: true,
  streamsTerminals: true,
  callsCount: true,
};
