import type { Gap, RecordingEvent } from './event.ts';
import type { ProcessRole } from './process-role.ts';
import type { LimitSource, ProcessFacts } from './sample.ts';
import type { Series } from './series.ts';
import type { SessionFacts } from './session.ts';
import type { BriefTick, Tick } from './session-memory.ts';
import type { Sketch } from './sketch.ts';
import type { TimeRange } from './time-range.ts';
import type { ProcessTimeline, RoleTimeline, Timeline, TimelineRequest } from './timeline.ts';

/** What is known of one process over its whole life; of its facts the latest. */
export interface ProcessRecord extends ProcessFacts {
  /** Row number in this file; ties {@link ProcessSample} to it. */
  process: number;
  pid: number;
  startTicks: number;
  parentPid: number;
  comm: string;
  executable: string | null;
  /** The latest: a renderer is first seen as a zygote. */
  role: ProcessRole;
  browserPid: number | null;
  firstUnixMs: number;
  /** Last sample in which it was there. */
  lastUnixMs: number;
  /** When its absence was noticed; null while it lives or when the recording ended first. */
  endedUnixMs: number | null;
  exitCode: number | null;
  signal: string | null;
  peakRssBytes: number | null;
  peakPssBytes: number | null;
  /** CPU time at the first and the last sample; the difference was spent while recorded. */
  firstCpuMs: number;
  lastCpuMs: number;
}

/** Of a process of the browser, what tells when it was there and in which role. */
export type BrowserProcess = Pick<
  ProcessRecord,
  'process' | 'pid' | 'role' | 'firstUnixMs' | 'endedUnixMs' | 'firstCpuMs' | 'lastCpuMs'
>;

/**
 * A stored row of a process. Rows are sparse: one is written when something worth storing changed,
 * and now and then as a heartbeat; in between the last row holds (memory within the threshold that
 * docs/schema.md states). PSS is filled only in the row of the tick in which it was read.
 */
export interface ProcessSample {
  process: number;
  timeUnixMs: number;
  rssBytes: number | null;
  anonBytes: number | null;
  shmemBytes: number | null;
  swapBytes: number | null;
  pssBytes: number | null;
  pssAnonBytes: number | null;
  pssShmemBytes: number | null;
  cpuMs: number;
  threadCount: number | null;
  majorFaultCount: number | null;
  state: string;
}

/** An event with its place in the file, and the process that it is about. */
export interface StoredEvent {
  /** Number of its row. Rows are only added: it is the same as long as the file lives. */
  row: number;
  /** Of the tick with which it was written. */
  tickUnixMs: number;
  event: RecordingEvent;
  /** Null where that is not known, or it is about none. */
  process: EventProcess | null;
}

export type EventProcess = Pick<
  ProcessRecord,
  'pid' | 'role' | 'browserPid' | 'comm' | 'executable'
>;

/**
 * A stretch of a recording and how finely it is still known: every tick; or a tick a minute (the last
 * one) and the distributions of minutes, and nothing of single processes but what their records say;
 * or the same of hours.
 */
export interface ResolutionStretch {
  resolution: 'hours' | 'minutes' | 'ticks';
  fromUnixMs: number;
  toUnixMs: number;
  /** Ticks from this sequence number on belong to it, up to the next stretch. */
  firstSequence: number;
  /** How many samples it was made of. */
  sampleCount: number;
  /** Sequence numbers of which there never was a sample; not known of ticks, whose numbers tell. */
  lostCount: number;
}

/** What one window of the clock says of a series, exactly. */
export interface SeriesWindow {
  startUnixMs: number;
  spanMs: number;
  min: number;
  max: number;
  mean: number;
  sampleCount: number;
}

/** What tells of the worst moments of a recording without reading it tick by tick. */
export interface HighWater {
  /** The largest and the smallest sample, exactly; also of what was thinned. */
  workingSetBytes: number | null;
  availableBytes: number | null;
  /**
   * The largest charge that the kernel marked between two ticks, in the cgroup whose limit binds, less
   * the file cache beside it; null without a mark, and where it was reached before the recording.
   */
  kernelMark: { workingSetBytes: number; source: 'memory.peak' | 'max_usage_in_bytes' } | null;
  /** The most that was swapped out, of the cgroup or the machine; 0 without swap. */
  swapUsedBytes: number | null;
  /** At the end of the recording. */
  limitBytes: number | null;
  limitSource: LimitSource;
  /**
   * Figures of memory are from here on: the recorder found the cgroup of what it records, and had read
   * another one before. Null: from the first sample on.
   */
  sinceUnixMs: number | null;
  /** A kill for want of memory while it was recorded, of whomever, or a counter of such kills moved. */
  hasMemoryEvent: boolean;
}

/** What tells of a recording as a whole, as cheaply. */
export interface RecordingGist {
  highWater: HighWater;
  /** By time, weighted in ms; null: never known. Their smallest and largest values are exact. */
  workingSetBytes: Sketch | null;
  utilizationRatio: Sketch | null;
  /** The closed minutes of the working set, by time; null: it has hours, ask for its windows. */
  workingSetMinutes: readonly SeriesWindow[] | null;
  /** Of the last sample; null: there is none. */
  lastUnixMs: number | null;
  /** Number of the last sample; 0: there is none. */
  lastSequence: number;
  /** Waiting for memory over the whole recording. */
  memoryWait: MemoryWait;
  gaps: readonly Gap[];
  /**
   * What may tell of more than an ordinary end: another boot, another limit or cgroup, a VM that was
   * lost, a process of the browser, or the command, that ended by a signal, with a code of 128 or more,
   * or nobody knows how.
   */
  hasOddEvent: boolean;
}

/** The working set at one sample. */
export interface WorkingSetSample {
  timeUnixMs: number;
  bytes: number;
}

/** Counters of the kernel over a stretch of time; null: the machine did not tell. */
export interface MemoryWait {
  /** All tasks waited; at least one did. */
  fullMs: number | null;
  someMs: number | null;
  /** File pages read back that had been thrown out. */
  refaultCount: number | null;
}

/** A recording opened for reading. The live file of a running recorder can be read as well. */
export interface Recording extends Disposable {
  readonly path: string;
  readonly facts: SessionFacts;
  /** A recorder holds the file at this moment. */
  readonly isLive: boolean;
  /** Oldest first. */
  ticks(range?: TimeRange): IterableIterator<Tick>;
  /** Likewise, of each tick the figures that tell whether something happened. */
  briefTicks(range?: TimeRange): IterableIterator<BriefTick>;
  tickCount(range?: TimeRange): number;
  firstTick(): Tick | null;
  lastTick(): Tick | null;
  /** By first sight. */
  processes(): ProcessRecord[];
  /**
   * Those of the browser, by first sight, but none that had ended before this time. `lastCpuMs` is
   * that of the end. Cheap however long the recording is: for those who look again and again.
   */
  browserProcesses(notEndedBeforeUnixMs?: number): BrowserProcess[];
  /** By time, then by process. */
  processSamples(range?: TimeRange, process?: number): IterableIterator<ProcessSample>;
  /** The last of each process; without reading those before it. */
  lastProcessSamples(): ProcessSample[];
  /** By time. */
  events(range?: TimeRange): RecordingEvent[];
  /** Those after this row, as they were written, at most so many. */
  storedEvents(afterRow: number, limit: number): StoredEvent[];
  /** How finely the recording is known, oldest first; what of that lies in the range. */
  resolutions(range?: TimeRange): ResolutionStretch[];
  /** Every series that has a distribution in this file. */
  series(): Series[];
  /**
   * The time-weighted distribution of a series (weight: ms): closed hours and minutes from their
   * rollups, the rest (the open minute, the cut ends of a range) from the ticks; where those are
   * gone, a window counts if it begins in the range. Null: nothing recorded.
   */
  distribution(series: Series, range?: TimeRange): Sketch | null;
  /** The closed windows of a series that begin in the range, each moment once; by time. */
  windows(series: Series, range?: TimeRange): SeriesWindow[];
  /** For those who look at very many recordings: some milliseconds, however long it is. */
  highWater(): HighWater;
  /** Likewise. */
  gist(): RecordingGist;
  /**
   * The most waiting for memory in any three neighbouring minutes, each figure by itself: no less than
   * in any 10 s of the recording. Reads one sample a minute.
   */
  worstMinutes(): MemoryWait;
  /** At 21 evenly spaced samples, of few or thinned ones fewer; by time. For short recordings. */
  workingSetSamples(): WorkingSetSample[];
  /** For a picture: a window of the session's figures, of any length, in a bounded number of points. */
  timeline(request: TimelineRequest): Timeline;
  roleTimeline(request: TimelineRequest): RoleTimeline;
  /** Both at once, which takes less than one after the other. */
  pictures(request: TimelineRequest): { session: Timeline; roles: RoleTimeline };
  /** Of the processes with these numbers. */
  processTimeline(request: TimelineRequest, processes: readonly number[]): ProcessTimeline;
  close(): void;
}
