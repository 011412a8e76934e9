import type { HeadroomError } from '../model/errors.ts';
import type { Recording } from '../model/recording.ts';
import type { Sleep } from './deadline.ts';
import type { CursorStore } from './export-ledger.ts';
import type { DropCounts } from './otlp/batch.ts';
import type { OtlpTarget } from './otlp/endpoint.ts';
import type { Send } from './otlp/send.ts';
import type { ExportSignal } from './otlp/signal.ts';

type SignalName = ExportSignal<never>['name'];

/** Points, or events, so far. */
export interface ExportTally {
  /** In requests that the receiver took. */
  sent: number;
  /** Of these, those that it said it did not keep (partial success). */
  rejected: number;
  /** Left out or given up, by reason. */
  dropped: DropCounts;
  /** Requests that were made again. */
  retries: number;
}

/** What became of one signal. */
export interface SignalResult extends ExportTally {
  /** Recorded and not dealt with; estimated when there are more than 100,000. */
  left: number;
  /** What earlier exports of this file to this target dealt with; 0 with `resend`. */
  alreadyDelivered: number;
  /** Why something is left; null when nothing is. */
  problem: HeadroomError | null;
}

/** What became of the points, and of the events. */
export interface ExportResult extends SignalResult {
  /** Null when the target has no address for them. */
  logs: SignalResult | null;
}

export type ExportEvent =
  | { kind: 'progress'; signal: SignalName; tally: ExportTally; timeUnixMs: number }
  | { kind: 'waiting'; delayMs: number; reason: string }
  | { kind: 'warning'; message: string };

export interface ExportOptions {
  target: OtlpTarget;
  /** Series of single processes, of so many at a time; null: none. Default: null. */
  perProcess?: number | null;
  /** Begin at the start of the recording, whatever was exported before. Default: false. */
  resend?: boolean;
  /** The time for all of it; when following, the time from the end of the recording. Default: none. */
  deadlineMs?: number | null;
  /** The file is a copy of a recording that goes on elsewhere: the session is not closed. Default: false. */
  goesOn?: boolean;
  /** Send the counts of the export itself as metrics. Default: false. */
  reportsItself?: boolean;
  /** Come to an end: what is recorded by now is sent, as far as `deadlineMs` (default 5 s) allows. */
  stop?: AbortSignal;
  onEvent?: (event: ExportEvent) => void;
  /** What is older than this is dropped and counted: the receiver takes nothing that old. Default: none. */
  maxAgeMs?: number | null;
  /** Age of points about which a warning is given before they are sent. Default: one hour. */
  oldAfterMs?: number;
  /** Bounds of one request. Defaults: 2000 points or 500 events, 5 minutes, 1 MB before compression. */
  limits?: { items?: number; spanMs?: number; bodyBytes?: number };
  /** The world around; defaults to the real one. */
  runtime?: Partial<ExportRuntime>;
}

export interface ExportRuntime {
  now(): number;
  sleep: Sleep;
  random(): number;
  send: Send;
  sendLogs: Send;
  open(path: string): Recording;
  cursors: CursorStore;
}
