import type { RecordingEvent } from '../model/event.ts';
import type {
  BrowserProcess,
  HighWater,
  MemoryWait,
  ProcessRecord,
  ProcessSample,
  Recording,
  RecordingGist,
  ResolutionStretch,
  SeriesWindow,
  StoredEvent,
  WorkingSetSample,
} from '../model/recording.ts';
import type { Series } from '../model/series.ts';
import type { SessionFacts } from '../model/session.ts';
import type { BriefTick, Tick } from '../model/session-memory.ts';
import type { Sketch } from '../model/sketch.ts';
import type { TimeRange } from '../model/time-range.ts';
import type {
  ProcessTimeline,
  RoleTimeline,
  Timeline,
  TimelineRequest,
} from '../model/timeline.ts';
import { readDistribution, readSeries, readWindows } from './distribution.ts';
import { type Database, transaction } from './driver.ts';
import { readEvents, readStoredEvents } from './event-rows.ts';
import { readGist, readWorstMinutes } from './gist.ts';
import { readHighWater } from './high-water.ts';
import { type OpenedFile, openForReading, openUncopied } from './open-for-reading.ts';
import { readBrowserProcesses, readProcessRecords } from './process-records.ts';
import { readLastProcessRows, readProcessRows } from './process-rows.ts';
import { damagedFile, readingError } from './reading-error.ts';
import { isBeingRecorded, isRecorderAlive, type RecorderIdentity } from './recorder-lock.ts';
import { refuseDamaged, refuseDamagedLog } from './refuse-damaged.ts';
import { readResolutions } from './resolutions.ts';
import { readSession, type SessionRow } from './session-row.ts';
import { firstTick, lastTick, readBriefTicks, readTicks, type SequenceRange } from './tick-rows.ts';
import { fromOf, isInRange, stretchesOf, toOf } from './time-stretches.ts';
import { readPictures } from './timeline/pictures.ts';
import { readProcessTimeline } from './timeline/process-timeline.ts';
import { readRoleTimeline } from './timeline/role-timeline.ts';
import { readTimeline } from './timeline/session-timeline.ts';
import { readWorkingSetSamples } from './working-set-samples.ts';

export interface OpenRecordingOptions {
  /** Whether the recorder that the file names still runs; default: asks the kernel. */
  isAlive?: (recorder: RecorderIdentity) => boolean;
  /** Where a file is copied to that cannot be read in place; default: the system's. */
  temporaryFolder?: string;
}

/** Opens a recording for reading. Errors: see {@link openForReading}; ADDON_MISSING. */
export function openRecording(path: string, options: OpenRecordingOptions = {}): Recording {
  return recordingIn(path, openForReading(path, options.temporaryFolder), options.isAlive);
}

/**
 * Opens a recording for figures that are to be right: FILE_CORRUPT also for one that is not what its
 * checksums say, for which all of it is read, and for one that ends in a damaged log. Other errors:
 * those of {@link openRecording}.
 */
export function openWhole(path: string): Recording {
  refuseDamaged(path);
  const recording = openRecording(path);
  try {
    if (!recording.isLive) refuseDamagedLog(path);
    return recording;
  } catch (error) {
    recording.close();
    throw error;
  }
}

/**
 * Whose recording a file is, without a copy of it: null where one would be needed, which is then looked
 * at only as far as that shows. Errors: those of {@link openRecording}.
 */
export function readFacts(path: string): SessionFacts | null {
  const file = openUncopied(path);
  if (file === null) return null;
  using recording = recordingIn(path, file);
  return recording.facts;
}

/** The recording in a database that is open; `path` is where it is for the user. */
export function recordingIn(
  path: string,
  file: OpenedFile,
  isAlive: OpenRecordingOptions['isAlive'] = isRecorderAlive,
): Recording {
  return new SqliteRecording(path, file, isAlive);
}

const always: TimeRange = {};

class SqliteRecording implements Recording {
  readonly path: string;
  readonly #file: OpenedFile;
  readonly #db: Database;
  readonly #isAlive: (recorder: RecorderIdentity) => boolean;

  constructor(path: string, file: OpenedFile, isAlive: (recorder: RecorderIdentity) => boolean) {
    this.path = path;
    this.#file = file;
    this.#db = file.db;
    this.#isAlive = isAlive;
  }

  get facts(): SessionFacts {
    const session = this.#session();
    const { facts } = session;
    if (facts.endedUnixMs !== null || this.#isLive(session)) return facts;
    return { ...facts, endReason: facts.endReason ?? 'lost' };
  }

  get isLive(): boolean {
    return this.#isLive(this.#session());
  }

  ticks(range: TimeRange = always): IterableIterator<Tick> {
    return this.#ticks(range, readTicks);
  }

  briefTicks(range: TimeRange = always): IterableIterator<BriefTick> {
    return this.#ticks(range, readBriefTicks);
  }

  tickCount(range: TimeRange = always): number {
    return this.#read(() => {
      const count = this.#db
        .prepare<[number, number, number, number], number>(
          `SELECT count(*) FROM tick
           WHERE sequence BETWEEN ? AND ? AND time_unix_ms BETWEEN ? AND ?`,
        )
        .pluck();
      return stretchesOf(this.#db, range).reduce(
        (sum, { first, last }) => sum + (count.get(first, last, fromOf(range), toOf(range)) ?? 0),
        0,
      );
    });
  }

  firstTick(): Tick | null {
    return this.#read(() => firstTick(this.#db));
  }

  lastTick(): Tick | null {
    return this.#read(() => lastTick(this.#db));
  }

  processes(): ProcessRecord[] {
    return this.#read(() => readProcessRecords(this.#db));
  }

  browserProcesses(notEndedBeforeUnixMs = Number.NEGATIVE_INFINITY): BrowserProcess[] {
    return this.#read(() => readBrowserProcesses(this.#db, notEndedBeforeUnixMs));
  }

  *processSamples(range: TimeRange = always, process?: number): IterableIterator<ProcessSample> {
    for (const stretch of this.#read(() => stretchesOf(this.#db, range))) {
      const rows = readProcessRows(this.#db, stretch, process ?? null);
      for (const { sequence: _, ...row } of this.#stream(rows)) {
        if (isInRange(row.timeUnixMs, range)) yield row;
      }
    }
  }

  lastProcessSamples(): ProcessSample[] {
    return this.#read(() => readLastProcessRows(this.#db));
  }

  events(range: TimeRange = always): RecordingEvent[] {
    return this.#read(() => readEvents(this.#db, range));
  }

  storedEvents(afterRow: number, limit: number): StoredEvent[] {
    return this.#read(() => readStoredEvents(this.#db, { afterRow, limit }));
  }

  resolutions(range: TimeRange = always): ResolutionStretch[] {
    return this.#read(() => readResolutions(this.#db, range));
  }

  series(): Series[] {
    return this.#read(() => readSeries(this.#db));
  }

  distribution(series: Series, range: TimeRange = always): Sketch | null {
    return this.#readOneState(() => readDistribution(this.#db, series, range));
  }

  windows(series: Series, range: TimeRange = always): SeriesWindow[] {
    return this.#read(() => readWindows(this.#db, series, range));
  }

  highWater(): HighWater {
    return this.#read(() => readHighWater(this.#db));
  }

  gist(): RecordingGist {
    return this.#readOneState(() => readGist(this.#db));
  }

  worstMinutes(): MemoryWait {
    return this.#read(() => readWorstMinutes(this.#db));
  }

  workingSetSamples(): WorkingSetSample[] {
    return this.#read(() => readWorkingSetSamples(this.#db));
  }

  timeline(request: TimelineRequest): Timeline {
    return this.#readOneState(() => readTimeline(this.#db, request));
  }

  pictures(request: TimelineRequest): { session: Timeline; roles: RoleTimeline } {
    return this.#readOneState(() => readPictures(this.#db, request));
  }

  roleTimeline(request: TimelineRequest): RoleTimeline {
    return this.#readOneState(() => readRoleTimeline(this.#db, request));
  }

  processTimeline(request: TimelineRequest, processes: readonly number[]): ProcessTimeline {
    return this.#readOneState(() => readProcessTimeline(this.#db, request, processes));
  }

  close(): void {
    this.#file.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  *#ticks<T extends BriefTick>(
    range: TimeRange,
    read: (db: Database, stretch: SequenceRange) => IterableIterator<T>,
  ): IterableIterator<T> {
    for (const stretch of this.#read(() => stretchesOf(this.#db, range))) {
      for (const tick of this.#stream(read(this.#db, stretch))) {
        if (isInRange(tick.timeUnixMs, range)) yield tick;
      }
    }
  }

  #isLive(session: SessionRow): boolean {
    return isBeingRecorded(this.path, session, this.#isAlive);
  }

  #session(): SessionRow {
    return this.#read(() => {
      const session = readSession(this.#db);
      if (session === null) throw damagedFile(this.path, 'the row of the session is missing');
      return session;
    });
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw readingError(error, this.path);
    }
  }

  // In one transaction: while a recorder writes, a minute may close between two queries.
  #readOneState<T>(read: () => T): T {
    return this.#read(() => transaction(this.#db, 'deferred', read));
  }

  *#stream<T>(rows: Iterator<T, undefined>): IterableIterator<T> {
    for (;;) {
      const next = this.#read(() => rows.next());
      if (next.done === true) return;
      yield next.value;
    }
  }
}
