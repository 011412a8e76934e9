import fs from 'node:fs';
import type { EarlierLog } from '../../model/earlier-log.ts';
import type { Note, OomKill } from '../../model/event.ts';
import { parseDaemonKill } from '../../model/userspace-oom.ts';
import { KernelClock, type Now } from './kernel-clock.ts';
import { type KmsgCalls, KmsgFile } from './kmsg-file.ts';
import { oomKillEvent } from './oom-event.ts';
import { type KmsgCounters, OomReportParser } from './oom-report.ts';
import { type KmsgRecord, parseKmsgRecord } from './record.ts';
import { RepeatedNote } from './repeated-note.ts';
import type { ReportedKill } from './report.ts';

/** What one call found. */
export interface KmsgReading {
  kills: readonly OomKill[];
  notes: readonly Note[];
}

export interface KmsgReaderOptions {
  /** CLOCK_MONOTONIC at the start of the recording: kills before it are marked `beforeStart`. */
  startedMonotonicMs: number;
  /** Kills that it has are not told again; those since its own start are no older than it. */
  earlier?: EarlierLog | null;
  /** Unit of the task table in a report; default 4096. */
  pageSizeBytes?: number;
  /** Default `/dev/kmsg`. */
  path?: string;
  calls?: KmsgCalls;
}

/**
 * 5 ms of work, 20 in the first call. A flood is read on in the next call, and what the kernel
 * overwrites until then is counted.
 */
const recordsPerCall = 1_000;

const mostLineNotes = 20;

const nothing: KmsgReading = Object.freeze({ kills: [], notes: [] });

/**
 * Gives the OOM kills of the kernel's log, from its oldest record on, and what user-space OOM daemons
 * wrote there since the start, and who met a limit of data. Where the log cannot be read it says so
 * in one note and is silent from then on.
 */
export class KmsgReader {
  readonly #path: string;
  readonly #pageSizeBytes: number;
  readonly #file: KmsgFile;
  readonly #clock: KernelClock;
  readonly #earlier: EarlierLog;
  readonly #parser = new OomReportParser();
  readonly #victimless = new RepeatedNote(
    'oom_without_victim',
    ({ count, when }) => `Out of memory, and no process that may be killed: ${count} × ${when}`,
  );
  readonly #overrun = new RepeatedNote(
    'kmsg_overrun',
    ({ count, when }) =>
      `The kernel log was overwritten before it was read: ${count} × ${when}, ` +
      `${this.counters.missedRecords} records lost in all; kills in them show only in the kill counters`,
  );
  #lineNotes: Note[] = [];
  #lastSequence = -1;
  #isUnavailableTold = false;

  constructor(options: KmsgReaderOptions) {
    this.#path = options.path ?? '/dev/kmsg';
    this.#pageSizeBytes = options.pageSizeBytes ?? 4096;
    this.#file = new KmsgFile(this.#path, options.calls ?? fs);
    const { startedMonotonicMs } = options;
    this.#clock = new KernelClock(startedMonotonicMs);
    this.#earlier = options.earlier ?? { startedMonotonicMs, killSequence: null };
  }

  /** Why the log cannot be read (`EACCES`, `EPERM`, `ENOENT` …); null while it can. */
  get unavailable(): string | null {
    return this.#file.unavailable;
  }

  /** What was seen besides the kills, since the reader was made. */
  get counters(): Readonly<KmsgCounters> {
    return this.#parser.counters;
  }

  /** Reads what is new, at most 1,000 records. The arguments are the two clocks at this call. */
  read(nowMonotonicMs: number, nowUnixMs: number): KmsgReading {
    const now = { monotonicMs: nowMonotonicMs, unixMs: nowUnixMs };
    const kills: OomKill[] = [];
    if (this.#drain(now, kills)) {
      this.#clock.reachedEnd(this.#lastSequence, nowMonotonicMs);
      this.#place(this.#parser.settle(nowMonotonicMs * 1000), now, kills);
    }
    const notes = [
      this.#unavailableNote(nowUnixMs),
      this.#overrun.due(nowMonotonicMs),
      this.#victimless.due(nowMonotonicMs),
      ...this.#lineNotes.splice(0),
    ].filter((note) => note !== null);
    return kills.length === 0 && notes.length === 0 ? nothing : { kills, notes };
  }

  /** The last call: reads, and gives as well what still waited for a later line or time. */
  finish(nowMonotonicMs: number, nowUnixMs: number): KmsgReading {
    const reading = this.read(nowMonotonicMs, nowUnixMs);
    const kills = [...reading.kills];
    const waiting = this.#parser.settle(Number.POSITIVE_INFINITY);
    this.#place(waiting, { monotonicMs: nowMonotonicMs, unixMs: nowUnixMs }, kills);
    const rest = [this.#overrun.rest(), this.#victimless.rest()].filter((note) => note !== null);
    return { kills, notes: [...reading.notes, ...rest] };
  }

  close(): void {
    this.#file.close();
  }

  /** True when the end of the log was reached. */
  #drain(now: Now, kills: OomKill[]): boolean {
    for (let count = 0; count < recordsPerCall; count++) {
      const step = this.#file.next();
      if (step === 'end') return true;
      if (step === 'record') this.#take(this.#file.text, now, kills);
      else this.#overrun.add(1, now.unixMs);
    }
    return false;
  }

  #take(raw: string, now: Now, kills: OomKill[]): void {
    const record = parseKmsgRecord(raw);
    const before = this.#parser.counters.noKillable;
    this.#place(this.#parser.push(record), now, kills);
    if (record === null) return;
    this.#lastSequence = record.sequence;
    if (record.facility !== 0) this.#takeOfUserSpace(record, now);
    else if (isDataLimit(record.text)) this.#note(record, now, 'data_limit');
    if (this.#parser.counters.noKillable > before) {
      this.#victimless.add(1, this.#clock.place(record, now).timeUnixMs);
    }
  }

  #takeOfUserSpace(record: KmsgRecord, now: Now): void {
    if (parseDaemonKill(record.text) !== null) this.#note(record, now, 'userspace_oom');
  }

  #note(record: KmsgRecord, now: Now, code: Note['code']): void {
    const { timeUnixMs, beforeStart } = this.#clock.place(record, now);
    if (beforeStart || this.#lineNotes.length >= mostLineNotes) return;
    const message = Buffer.from(record.text.trim(), 'latin1').toString('utf8').slice(0, 300);
    this.#lineNotes.push({ kind: 'note', timeUnixMs, code, message });
  }

  #place(reported: readonly ReportedKill[], now: Now, kills: OomKill[]): void {
    const { startedMonotonicMs, killSequence } = this.#earlier;
    const pageSizeBytes = this.#pageSizeBytes;
    for (const kill of reported) {
      if (killSequence !== null && kill.sequence <= killSequence) continue;
      const { timeUnixMs, beforeStart: isOlder } = this.#clock.place(kill, now);
      const beforeStart = isOlder && kill.timeUs / 1000 < startedMonotonicMs;
      kills.push(oomKillEvent(kill, { timeUnixMs, beforeStart, pageSizeBytes }));
    }
  }

  #unavailableNote(timeUnixMs: number): Note | null {
    const reason = this.#file.unavailable;
    if (reason === null || this.#isUnavailableTold) return null;
    this.#isUnavailableTold = true;
    return {
      kind: 'note',
      timeUnixMs,
      code: 'kmsg_unavailable',
      message: `${this.#path} cannot be read (${reason}): kernel OOM kills show only in the kill counters`,
    };
  }
}

// may_expand_vm() in mm/mmap.c; the kernel says it once a boot.
function isDataLimit(text: string): boolean {
  return /^mmap: .{1,15} \(\d{1,10}\): VmData \d+ exceed data ulimit /s.test(text);
}
