import type { ProcessExit } from '../../model/event.ts';
import type { ProcessReading, Sample } from '../../model/sample.ts';
import type { EndedProcess } from '../process-table.ts';
import type { ExitNotice } from './exit-watcher.ts';

/** A tick: what was sampled, and then what the watcher had heard by `drainedMonotonicMs`. */
export interface ExitTick {
  sample: Pick<Sample, 'timeUnixMs' | 'monotonicMs' | 'processes'>;
  ended: readonly EndedProcess[];
  notices: readonly ExitNotice[];
  drainedMonotonicMs: number;
  /** Notices may still come. */
  isWatched: boolean;
}

/** What one tick leaves to the next. */
export interface ExitState {
  readonly waiting: readonly WaitingEnd[];
  /** Of processes that are still there: not reaped yet, or ended after the sample. */
  readonly notices: readonly ExitNotice[];
  /** Of the sample. */
  readonly processes: readonly ProcessReading[];
  readonly sampledMonotonicMs: number;
}

/** A process that is gone, and has not been heard of; it ended in (from, to]. */
interface WaitingEnd {
  process: EndedProcess;
  noticedUnixMs: number;
  fromMonotonicMs: number;
  toMonotonicMs: number;
  tickCount: number;
}

export const firstExitState: ExitState = {
  waiting: [],
  notices: [],
  processes: [],
  sampledMonotonicMs: Number.NEGATIVE_INFINITY,
};

// A notice comes up to a second late, and later on a machine that is stalled.
const graceTicks = 2;
const graceMs = 2_000;

/**
 * Joins the processes that vanished with the notices of how they ended, and gives the ends that are
 * settled: with a notice, or after a grace without one. A process that ran at the sample before
 * ended after it, so an older notice of its pid is another's, or was no end: a thread that runs
 * another program ends the first one under the same pid. Only ends of a browser's processes are
 * given; whatever else is heard is forgotten.
 */
export function joinExits(
  before: ExitState,
  tick: ExitTick,
): { exits: ProcessExit[]; state: ExitState } {
  const noticesByPid = groupByPid([...before.notices, ...tick.notices]);
  const exits: ProcessExit[] = [];
  const waiting: WaitingEnd[] = [];
  for (const end of [...before.waiting, ...newEnds(before, tick)]) {
    const notice = takeNotice(noticesByPid.get(end.process.pid), end);
    if (notice !== undefined) exits.push(toldExit(end.process, notice));
    else if (!tick.isWatched || isOverdue(end, tick)) exits.push(vanishedExit(end));
    else waiting.push({ ...end, tickCount: end.tickCount + 1 });
  }
  return {
    exits,
    state: {
      waiting,
      notices: noticesToKeep(noticesByPid, tick),
      processes: tick.sample.processes,
      sampledMonotonicMs: tick.sample.monotonicMs,
    },
  };
}

/** What is known when no further tick comes: what still waited, and what ended without being reaped. */
export function flushExits(state: ExitState): ProcessExit[] {
  const exits = state.waiting.map(vanishedExit);
  for (const notice of state.notices) {
    const zombie = zombieOf(state, notice.pid);
    if (zombie !== undefined && isOfBrowser(zombie)) exits.push(toldExit(zombie, notice));
  }
  return exits;
}

function groupByPid(notices: readonly ExitNotice[]): Map<number, ExitNotice[]> {
  const groups = new Map<number, ExitNotice[]>();
  for (const notice of notices) {
    const group = groups.get(notice.pid);
    if (group === undefined) groups.set(notice.pid, [notice]);
    else group.push(notice);
  }
  return groups;
}

function newEnds(before: ExitState, tick: ExitTick): WaitingEnd[] {
  return tick.ended.filter(isOfBrowser).map((process) => ({
    process,
    noticedUnixMs: tick.sample.timeUnixMs,
    // A zombie has ended, who knows when.
    fromMonotonicMs:
      zombieOf(before, process.pid) === undefined
        ? before.sampledMonotonicMs
        : Number.NEGATIVE_INFINITY,
    toMonotonicMs: tick.drainedMonotonicMs,
    tickCount: 0,
  }));
}

/** The last of the right time; it and those before it belong to nobody else. */
function takeNotice(
  notices: ExitNotice[] | undefined,
  { fromMonotonicMs, toMonotonicMs }: WaitingEnd,
): ExitNotice | undefined {
  const at = notices?.findLastIndex(
    ({ monotonicMs }) => monotonicMs > fromMonotonicMs && monotonicMs <= toMonotonicMs,
  );
  return at === undefined || at < 0 ? undefined : notices?.splice(0, at + 1).at(-1);
}

function isOverdue(end: WaitingEnd, tick: ExitTick): boolean {
  const waitedMs = tick.drainedMonotonicMs - end.toMonotonicMs;
  return end.tickCount >= graceTicks && waitedMs >= graceMs;
}

function noticesToKeep(noticesByPid: Map<number, ExitNotice[]>, tick: ExitTick): ExitNotice[] {
  const kept: ExitNotice[] = [];
  if (noticesByPid.size === 0) return kept;
  tick.sample.processes.forEach((reading) => {
    const notice = noticesByPid.get(reading.pid)?.at(-1);
    if (notice === undefined) return;
    const isLater = notice.monotonicMs > tick.sample.monotonicMs;
    if (isLater || (isZombie(reading) && isWholeEnd(reading, notice))) kept.push(notice);
  });
  return kept;
}

function zombieOf({ processes }: ExitState, pid: number): ProcessReading | undefined {
  return processes.find((process) => process.pid === pid && isZombie(process));
}

function isZombie({ state }: ProcessReading): boolean {
  return state === 'Z' || state === 'X';
}

// A main thread may end alone, always with 0; the others, and the process, run on without it.
function isWholeEnd({ threadCount }: ProcessReading, { exitCode }: ExitNotice): boolean {
  return exitCode !== 0 || threadCount === null || threadCount <= 1;
}

function isOfBrowser({ role, browserPid }: EndedProcess): boolean {
  return role !== 'other' || browserPid !== null;
}

function toldExit(process: EndedProcess, notice: ExitNotice): ProcessExit {
  const { timeUnixMs, exitCode, signal } = notice;
  const { pid, startTicks, role } = process;
  const kind = 'process_exit';
  return { kind, timeUnixMs, pid, startTicks, role, exitCode, signal, source: 'connector' };
}

function vanishedExit({ process, noticedUnixMs }: WaitingEnd): ProcessExit {
  const { pid, startTicks, role } = process;
  return {
    kind: 'process_exit',
    timeUnixMs: noticedUnixMs,
    pid,
    startTicks,
    role,
    exitCode: null,
    signal: null,
    source: 'vanished',
  };
}
