import type { OomScope } from '../../model/event.ts';
import { type KillLine, looksLikeOom, parseOomLine, type SummaryLine } from './oom-line.ts';
import type { KmsgRecord } from './record.ts';
import {
  addDetail,
  emptyReport,
  killOfLine,
  killOfSummary,
  type Report,
  type ReportedKill,
} from './report.ts';

/** What was seen in the log besides the kills, counted since the first record. */
export interface KmsgCounters {
  /** Headers (`… invoked oom-killer`); the kernel leaves them out when kills come fast. */
  reports: number;
  /** Reports that ended without anything to kill. */
  noKillable: number;
  /** Reports that the kernel says it left out. */
  suppressed: number;
  /** Lines written by user space (facility other than 0) that look like an OOM report. */
  userspaceLookalikes: number;
  /** Records that could not be framed, and kernel lines about a kill that could not be read. */
  unparsedLines: number;
  sequenceGaps: number;
  /** Records lost in those gaps. */
  missedRecords: number;
  killLines: number;
  /** Distinct kills given out. */
  kills: number;
  panic: boolean;
}

/** How long the kill line may come after the summary line, by the kernel's clock. */
const killLineGraceUs = 3_000_000;

/** A group kill prints its victims at once; without a task table this tells them from others. */
const groupSpanUs = 1_000_000;

const none: readonly ReportedKill[] = [];

/**
 * Reads the records of /dev/kmsg in order and gives the kills among them. The kill line
 * (`Killed process N`) is the fact; all other lines only add to it, since the kernel leaves every
 * one of them out at times and other messages fall in between.
 */
export class OomReportParser {
  readonly #counters: KmsgCounters = {
    reports: 0,
    noKillable: 0,
    suppressed: 0,
    userspaceLookalikes: 0,
    unparsedLines: 0,
    sequenceGaps: 0,
    missedRecords: 0,
    killLines: 0,
    kills: 0,
    panic: false,
  };
  #lastSequence: number | null = null;
  /** The report that is being printed, or the last one. */
  #report: Report | null = null;
  #announcement: { pid: number; scope: OomScope } | null = null;
  /** Summary lines whose kill line has not come yet, by pid. */
  readonly #pending = new Map<number, { report: Report; record: KmsgRecord }>();

  get counters(): Readonly<KmsgCounters> {
    return this.#counters;
  }

  /** Takes the next record (null: one that could not be framed); gives the kills now known. */
  push(record: KmsgRecord | null): readonly ReportedKill[] {
    if (record === null) {
      this.#counters.unparsedLines++;
      return none;
    }
    if (this.#isOld(record.sequence)) return none;
    const settled = this.settle(record.timeUs);
    const kill = this.#read(record);
    return kill === null ? settled : [...settled, kill];
  }

  /**
   * Gives a kill for each summary line whose kill line has not come within the grace time. Call it
   * with the kernel's time only when every record up to then has been pushed.
   */
  settle(nowUs: number): readonly ReportedKill[] {
    if (this.#pending.size === 0) return none;
    const settled: ReportedKill[] = [];
    for (const [pid, { report, record }] of this.#pending) {
      if (nowUs - record.timeUs < killLineGraceUs) continue;
      this.#pending.delete(pid);
      if (report.summary === null) continue;
      settled.push(killOfSummary(report.summary, { report, record }));
      report.victims.add(pid);
      this.#counters.kills++;
    }
    return settled;
  }

  #isOld(sequence: number): boolean {
    const last = this.#lastSequence;
    if (last !== null && sequence <= last) return true;
    this.#lastSequence = sequence;
    if (last !== null && sequence > last + 1) {
      this.#counters.sequenceGaps++;
      this.#counters.missedRecords += sequence - last - 1;
      // What follows may belong to another report, whose beginning is lost.
      this.#report = null;
      this.#announcement = null;
    }
    return false;
  }

  #read(record: KmsgRecord): ReportedKill | null {
    if (record.facility !== 0) {
      if (looksLikeOom(record.text)) this.#counters.userspaceLookalikes++;
      return null;
    }
    const line = parseOomLine(record.text);
    if (line === null) return null;
    switch (line.line) {
      case 'header':
        this.#counters.reports++;
        this.#report = { ...emptyReport(), hasHeader: true, triggerComm: line.comm };
        break;
      case 'summary':
        this.#summarize(line, record);
        break;
      case 'announcement':
        this.#announcement = line;
        break;
      case 'kill':
        return this.#kill(line, record);
      case 'already_exiting':
        this.#pending.delete(line.pid);
        break;
      case 'no_killable':
        this.#counters.noKillable++;
        this.#report = null;
        break;
      case 'suppressed':
        this.#counters.suppressed += line.count;
        break;
      case 'panic':
        this.#counters.panic = true;
        break;
      case 'unreadable':
        this.#counters.unparsedLines++;
        break;
      default:
        if (this.#report !== null) addDetail(this.#report, line);
    }
    return null;
  }

  #summarize(summary: SummaryLine, record: KmsgRecord): void {
    const open = this.#report;
    const report = open !== null && isWaiting(open) ? open : emptyReport();
    report.summary = summary;
    this.#report = report;
    this.#pending.set(summary.pid, { report, record });
  }

  #kill(line: KillLine, record: KmsgRecord): ReportedKill | null {
    const { pid } = line.victim;
    this.#counters.killLines++;
    const announced = line.scope === null ? this.#announcement : null;
    this.#announcement = null;
    const report = this.#reportOf(pid, announced?.pid ?? pid, record.timeUs);
    if (this.#report === null || !isWaiting(this.#report)) this.#report = report;
    report.lastKillUs = record.timeUs;
    // A group kill goes through the whole group and prints its first victim a second time.
    if (report.victims.has(pid)) return null;
    report.victims.add(pid);
    this.#counters.kills++;
    return killOfLine(line, announced?.scope ?? null, { report, record });
  }

  // Up to 5.0 the summary names the announced process, and a child of it may be the one killed.
  #reportOf(pid: number, announcedPid: number, timeUs: number): Report {
    const pending = this.#pending.get(announcedPid);
    if (pending !== undefined) {
      this.#pending.delete(announcedPid);
      return pending.report;
    }
    const report = this.#report;
    if (report === null) return emptyReport();
    const isItsVictim =
      isWaiting(report) || report.victims.has(pid) || isOfGroup(report, pid, timeUs);
    return isItsVictim ? report : emptyReport();
  }
}

/** The report has a header and neither a summary nor a kill yet: the next of them is its own. */
function isWaiting(report: Report): boolean {
  return report.hasHeader && report.summary === null && report.victims.size === 0;
}

function isOfGroup(report: Report, pid: number, timeUs: number): boolean {
  if (report.oomGroup === null) return false;
  if (report.table !== null) return report.table.has(pid);
  return timeUs - report.lastKillUs <= groupSpanUs;
}
