import type { ProcessLine, ProcessTimeline, TimelineRequest } from '../../model/timeline.ts';
import type { Database } from '../driver.ts';
import { readEvents } from '../event-rows.ts';
import { stretchesOf } from '../time-stretches.ts';
import { columnMsOf } from './session-timeline.ts';

interface MemoryRow {
  process: number;
  timeUnixMs: number;
  rssBytes: number | null;
  anonBytes: number | null;
  pssBytes: number | null;
}

interface Life {
  process: number;
  lastUnixMs: number | null;
  wasPssRead: number;
}

/** The memory of some processes in a window; of each its last row holds until its end. */
export function readProcessTimeline(
  db: Database,
  request: TimelineRequest,
  processes: readonly number[],
): ProcessTimeline {
  const list = processes.filter(Number.isSafeInteger).join(', ');
  const lives = db
    .prepare<[], Life>(
      `SELECT process, last_unix_ms AS lastUnixMs, peak_pss_bytes IS NOT NULL AS wasPssRead
       FROM process WHERE process IN (${list})`,
    )
    .all();
  const builder = new LineBuilder(lives, request);
  // From the beginning: rows are sparse, and one from before the window may be in force.
  const [{ last } = { last: 0 }] = stretchesOf(db, request).slice(-1);
  const rows = db
    .prepare<[number], MemoryRow>(
      `SELECT process, time_unix_ms AS timeUnixMs, rss_bytes AS rssBytes,
         anon_bytes AS anonBytes, pss_bytes AS pssBytes
       FROM process_sample AS row JOIN tick ON tick.sequence = row.sequence
       WHERE process IN (${list}) AND row.sequence <= ?
       ORDER BY row.key`,
    )
    .iterate(last);
  const gaps = readEvents(db, {}).filter((event) => event.kind === 'gap');
  let next = 0;
  for (const row of rows) {
    for (; next < gaps.length && (gaps[next]?.toUnixMs ?? 0) <= row.timeUnixMs; next++) {
      const gap = gaps[next];
      if (gap !== undefined) builder.addHole(gap.fromUnixMs, gap.toUnixMs);
    }
    builder.add(row);
  }
  return builder.result();
}

interface State {
  life: Life;
  bytes: number | null;
  pssAboveAnonBytes: number | null;
}

class LineBuilder {
  readonly #request: TimelineRequest;
  readonly #states: State[];
  readonly #timesUnixMs: number[] = [];
  readonly #lines: ProcessLine[];
  readonly #columnMs: number;
  #column = Number.NaN;

  constructor(lives: readonly Life[], request: TimelineRequest) {
    this.#request = request;
    this.#columnMs = columnMsOf(request);
    this.#states = lives.map((life) => ({ life, bytes: null, pssAboveAnonBytes: null }));
    this.#lines = lives.map(({ process, wasPssRead }) => ({
      process,
      measure: wasPssRead === 1 ? 'pss' : 'rss',
      bytes: [],
    }));
  }

  add(row: MemoryRow): void {
    const { timeUnixMs } = row;
    const { fromUnixMs, toUnixMs } = this.#request;
    if (timeUnixMs > toUnixMs) return;
    const place = this.#states.findIndex(({ life }) => life.process === row.process);
    const state = this.#states[place];
    if (state === undefined) return;
    this.#endThoseBefore(timeUnixMs);
    apply(state, row);
    this.#point(Math.max(timeUnixMs, fromUnixMs));
  }

  addHole(holeFromUnixMs: number, holeToUnixMs: number): void {
    const { fromUnixMs, toUnixMs } = this.#request;
    if (holeToUnixMs < fromUnixMs || holeFromUnixMs > toUnixMs) return;
    this.#endThoseBefore(holeFromUnixMs);
    this.#point(Math.max(fromUnixMs, holeFromUnixMs));
    this.#push((holeFromUnixMs + holeToUnixMs) / 2, () => null);
    this.#endThoseBefore(holeToUnixMs);
    this.#point(Math.min(toUnixMs, holeToUnixMs));
  }

  result(): ProcessTimeline {
    const { toUnixMs } = this.#request;
    this.#endThoseBefore(toUnixMs);
    if (this.#timesUnixMs.length > 0) this.#point(toUnixMs);
    return { timesUnixMs: this.#timesUnixMs, processes: this.#lines };
  }

  #endThoseBefore(timeUnixMs: number): void {
    for (const state of this.#states) {
      const { lastUnixMs } = state.life;
      if (lastUnixMs === null || lastUnixMs >= timeUnixMs || state.bytes === null) continue;
      this.#point(Math.max(this.#request.fromUnixMs, lastUnixMs));
      state.bytes = null;
      this.#push(Math.max(this.#request.fromUnixMs, lastUnixMs) + 1, (at) => at.bytes);
    }
  }

  /** A new point, or the largest of those of one column. */
  #point(timeUnixMs: number): void {
    const column = Math.floor(timeUnixMs / this.#columnMs);
    const last = this.#timesUnixMs.length - 1;
    if (column !== this.#column || last < 0) {
      this.#push(timeUnixMs, ({ bytes }) => bytes);
      this.#column = column;
      return;
    }
    this.#states.forEach(({ bytes }, place) => {
      const line = this.#lines[place];
      if (line !== undefined && bytes !== null) {
        line.bytes[last] = Math.max(bytes, line.bytes[last] ?? 0);
      }
    });
  }

  #push(timeUnixMs: number, bytesOf: (state: State) => number | null): void {
    // A picture goes from left to right, also when the clock was set back.
    this.#timesUnixMs.push(Math.max(timeUnixMs, this.#timesUnixMs.at(-1) ?? timeUnixMs));
    this.#states.forEach((state, place) => {
      this.#lines[place]?.bytes.push(bytesOf(state));
    });
    this.#column = Number.NaN;
  }
}

function apply(state: State, { rssBytes, anonBytes, pssBytes }: MemoryRow): void {
  if (pssBytes !== null && anonBytes !== null) state.pssAboveAnonBytes = pssBytes - anonBytes;
  if (state.life.wasPssRead === 0) state.bytes = rssBytes;
  else if (state.pssAboveAnonBytes === null || anonBytes === null) state.bytes = null;
  else state.bytes = state.pssAboveAnonBytes + anonBytes;
}
