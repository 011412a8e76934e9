import type { ProcessRole } from './process-role.ts';

/** What of a recording is to be drawn, and into how many columns of a picture. */
export interface TimelineRequest {
  fromUnixMs: number;
  toUnixMs: number;
  /** Each column is at most one point, however long the window is. */
  columns: number;
}

export const timelineFigures = [
  'limitBytes',
  'workingSetMinBytes',
  'workingSetMaxBytes',
  'availableMinBytes',
  'availableMaxBytes',
  'memorySomeRatio',
  'memoryFullRatio',
  'cpuSomeRatio',
  'ioFullRatio',
] as const;

export type TimelineFigure = (typeof timelineFigures)[number];

/**
 * A window of a recording as finely as a picture can show it. Of a column with several samples there
 * are the least and the largest, so that no peak is lost. A point whose figures are all null is a
 * hole: between the points around it nothing is known, and no line may be drawn.
 */
export interface Timeline {
  timesUnixMs: number[];
  figures: Record<TimelineFigure, (number | null)[]>;
}

/** The memory of each role, to be stacked: the mean of a column, since sums of extremes are none. */
export interface RoleTimeline {
  timesUnixMs: number[];
  /** PSS in bytes; 0: no process of the role, null: not known, or a hole. */
  roles: Partial<Record<ProcessRole, (number | null)[]>>;
}

/** The memory of single processes. */
export interface ProcessTimeline {
  timesUnixMs: number[];
  processes: ProcessLine[];
}

export interface ProcessLine {
  /** Its number in the file. */
  process: number;
  /** PSS, estimated between readings, where it was ever read; else RSS, which counts shared pages. */
  measure: 'pss' | 'rss';
  /** The largest of a column; null: it was not there, or a hole. */
  bytes: (number | null)[];
}
