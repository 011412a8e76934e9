import type { VerdictKind } from '../../analysis/verdict.ts';
import type { Gap, RecordingEvent } from '../../model/event.ts';
import type { ProcessTimeline, RoleTimeline, Timeline } from '../../model/timeline.ts';

/** One line of the list of recordings. */
export interface ListedRecording {
  /** Of the file in its folder; what the other requests name. */
  name: string;
  /** Null: not read yet. */
  summary: RecordingSummary | null;
  /** Why it cannot be read; null: nothing is wrong. */
  problem: string | null;
}

export interface RecordingList {
  schemaVersion: 1;
  /** The folder, or the file, as it was given to the server. */
  source: string;
  recordings: ListedRecording[];
  /** How many are not in this list. */
  leftOut: number;
}

export interface RecordingSummary {
  id: string;
  labels: Readonly<Record<string, string>>;
  fromUnixMs: number;
  toUnixMs: number;
  isLive: boolean;
  verdict: { kind: VerdictKind; summary: string };
  /** The largest working set. */
  peakBytes: number | null;
  limitBytes: number | null;
  oomKillCount: number;
  /** The largest working set of each part of it, as a share of the limit; null: a hole. */
  sparkline: (number | null)[];
}

/** An event of a recording; in a file marked where it is the end of a process that is not the session's. */
export type ShownEvent = RecordingEvent & { isOutside?: true };

/** What is known of a recording without reading all of it. */
export interface RecordingHead {
  name: string;
  id: string;
  labels: Readonly<Record<string, string>>;
  isLive: boolean;
  intervalMs: number;
  fromUnixMs: number;
  toUnixMs: number;
  gaps: Gap[];
  events: ShownEvent[];
  /** Ends of processes that are not in `events`. */
  eventsLeftOut: number;
}

/** Of the first pictures, which are of a whole recording: about one to a pixel. */
export const firstColumns = 1_000;

/** The pictures of one window. */
export interface WindowPictures {
  session: Timeline;
  roles: RoleTimeline;
}

/** Which process: of one pid there may be two. */
export interface ProcessKey {
  pid: number;
  startTicks: number;
}

export interface KeyedProcessTimeline extends Omit<ProcessTimeline, 'processes'> {
  processes: (ProcessKey & Omit<ProcessTimeline['processes'][number], 'process'>)[];
}

/** Told by the server while a page is open. */
export type LiveMessage =
  | { kind: 'recordings'; changed: ListedRecording[] }
  | { kind: 'grown'; name: string; toUnixMs: number; isLive: boolean };

/** What is inside of a page that is one file. */
export interface PageFile {
  schemaVersion: 1;
  head: RecordingHead;
  /** As `headroom report --format json` has it. */
  report: unknown;
  pictures: WindowPictures;
  processes: KeyedProcessTimeline;
  /** Parts that follow each other; a window that is chosen is made of whole ones. */
  parts: PagePart[];
}

/** The distributions of a part, as the file format has them (docs/schema.md), in base64. */
export interface PagePart {
  fromUnixMs: number;
  toUnixMs: number;
  workingSet: PageSketch | null;
  available: PageSketch | null;
  browserPss: PageSketch | null;
}

export interface PageSketch {
  count: number;
  sum: number;
  min: number;
  max: number;
  buckets: string;
}
