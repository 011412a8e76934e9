import type { ProcessRole } from '../model/process-role.ts';
import type { TreeNode } from './chromium/browser-tree.ts';
import { roleOfCommand } from './chromium/command-line.ts';
import { safeCommand } from './chromium/safe-command.ts';
import type { MemberFacts } from './process-facts.ts';
import { PidList } from './procfs/pid-list.ts';
import { printableLatin1 } from './procfs/printable-text.ts';
import type { ProcFs } from './procfs/proc-fs.ts';
import { type DescriptorBudget, ProcessFiles } from './procfs/process-files.ts';
import type { ProcessStat } from './procfs/process-stat.ts';
import type { ProcessStatus } from './procfs/process-status.ts';
import type { SmapsRollup } from './procfs/smaps-rollup.ts';
import type { Statm } from './procfs/statm.ts';
import { ReadingRounds } from './reading-rounds.ts';

/** A living process between ticks: its open files, its identity, and the last dear readings. */
export interface TrackedProcess extends TreeNode {
  files: ProcessFiles;
  stat: ProcessStat;
  /** Read at every tick once it is part of a browser; else null. */
  statm: Statm | null;
  /** When the command line is to be read again, in clock ticks since boot; null: it is settled. */
  commandDueTicks: number | null;
  /** Readings in a row in which stat was the same. */
  idleCount: number;
  executable: string | null;
  /** The command line as it was read last, with all its secrets: only to see whether it changed. */
  cmdline: string | null;
  /** Its name at that time. */
  commandComm: string;
  /** The same as it may be stored; null when it may not. */
  command: string | null;
  /** Nothing of it has changed since it was told in a sample. */
  isTold: boolean;
  /** Anonymous bytes of the tick at hand; null without memory of its own. */
  anonBytes: number | null;
  rssBytes: number | null;
  status: ProcessStatus | null;
  statusMonotonicMs: number;
  /** What stat and statm were when status was read: while they are, status is the same. */
  statusReadAt: { stat: ProcessStat; statm: Statm | null } | null;
  /** Read together with status. */
  facts: MemberFacts | null;
  lastPss: (SmapsRollup & { anonBytes: number; monotonicMs: number }) | null;
  /** When reading PSS failed last (another user's process, or gone). */
  pssFailedMonotonicMs: number;
}

/** A process that was there at the tick before and is not any more. */
export interface EndedProcess {
  pid: number;
  startTicks: number;
  role: ProcessRole;
  browserPid: number | null;
}

export interface ProcessTableOptions {
  /** How many descriptors may be kept open. */
  descriptorLimit: number;
  /** Default true. */
  storesCommands?: boolean | undefined;
}

export interface TableTick {
  /** Counts the ticks of this table. */
  tick: number;
  nowTicks: number;
  ticksPerSecond: number;
  /** Differs as soon as a process starts or is gone; null or left out: nobody tells. */
  population?: string | null;
}

// While young a process may yet change its program or tell its type.
const youngSeconds = 5;
const settlingSeconds = 30;
// By time and not by ticks: at ten samples a second it would be the dearest part of them.
const youngEverySeconds = 0.5;
const settlingEverySeconds = 5;
// Made once: without its compiler V8 makes a literal anew each time.
const blank = /^\0*$/;
// What was the same so often rests: whether it woke up is asked now and then. That it is still there
// is asked at every tick, by the list of /proc or by what would have changed with it.
const restingAfterCount = 5;
const statOfQuietEveryTicks = 4;
// A kernel thread's pid may come to a process of ours; seldom enough to look again now and then.
const kernelThreadRecheckTicks = 60;

/**
 * All processes of the machine, followed by (pid, start time) from tick to tick. What is done for
 * every process at every tick is done without garbage: forEach, because each step of a for…of over a
 * map makes an object, and garbage costs page faults, the dearest part of a tick.
 */
export class ProcessTable {
  readonly processes = new Map<number, TrackedProcess>();
  /** Those that {@link update} looked at; the others rest, and are what they were. */
  readonly awake: TrackedProcess[] = [];
  readonly #proc: ProcFs;
  readonly #list: PidList;
  readonly #descriptors: DescriptorBudget;
  readonly #storesCommands: boolean;
  readonly #rounds = new ReadingRounds<TrackedProcess>();
  readonly #kernelThreads = new Set<number>();
  /** Listed, and not followed because they could not be read, or were another process before. */
  readonly #waiting = new Set<number>();

  constructor(proc: ProcFs, options: ProcessTableOptions) {
    this.#proc = proc;
    this.#list = new PidList(proc);
    this.#descriptors = { left: options.descriptorLimit };
    this.#storesCommands = options.storesCommands ?? true;
  }

  /** Looks at every process that does not rest; new ones join, vanished ones are given back. */
  update(at: TableTick): EndedProcess[] {
    const ended: EndedProcess[] = [];
    this.awake.length = 0;
    const { appeared, gone } = this.#list.update(at.population ?? null);
    for (const pid of gone) {
      this.#kernelThreads.delete(pid);
      this.#waiting.delete(pid);
      this.#drop(pid, ended);
    }
    for (const pid of appeared) this.#waiting.add(pid);
    this.#kernelThreads.forEach((pid) => {
      if ((at.tick + pid) % kernelThreadRecheckTicks === 0) this.#waiting.add(pid);
    });
    this.#rounds.forEachDue(at.tick, (process) => {
      if (this.#refresh(process, at)) this.awake.push(process);
      else this.#waiting.add(process.pid);
    });
    this.awake.forEach((process) => {
      if (mayRest(process)) this.#rounds.rest(process);
      else this.#rounds.wake(process);
    });
    for (const pid of this.#waiting) {
      this.#drop(pid, ended);
      this.#join(pid, at);
    }
    return ended;
  }

  close(): void {
    for (const process of this.processes.values()) process.files.close();
    this.processes.clear();
  }

  /** False when it is gone, or its pid now belongs to another process. */
  #refresh(process: TrackedProcess, at: TableTick): boolean {
    if (process.browserPid !== null) {
      const { statm } = process;
      process.statm = process.files.statm();
      // Also when it ended: a zombie has no memory, and what is gone has no statm.
      const isSame = statm !== null && process.statm === statm;
      if (isSame && isQuiet(process, at)) return true;
      if (!isSame) process.isTold = false;
    }
    const stat = process.files.stat();
    // It could not be read this time, which is no end: it keeps what it had.
    if (stat === 'failed') return true;
    if (typeof stat === 'string' || stat.startTicks !== process.startTicks) return false;
    const renamed = stat.comm !== process.stat.comm;
    if (stat === process.stat) {
      process.idleCount++;
    } else {
      process.idleCount = 0;
      process.isTold = false;
      process.stat = stat;
      process.parentPid = stat.parentPid;
    }
    if (renamed || isDueForCommand(process, at)) this.#readCommand(process, at);
    return true;
  }

  /** It stays waiting when it cannot be read. */
  #join(pid: number, at: TableTick): void {
    const files = new ProcessFiles(this.#proc, pid, this.#descriptors);
    const stat = files.stat();
    if (typeof stat === 'string') {
      files.close();
      return;
    }
    this.#waiting.delete(pid);
    if (stat.isKernelThread) {
      files.close();
      this.#kernelThreads.add(pid);
      return;
    }
    this.#kernelThreads.delete(pid);
    const process: TrackedProcess = {
      pid,
      startTicks: stat.startTicks,
      parentPid: stat.parentPid,
      ownRole: null,
      role: 'other',
      browserPid: null,
      files,
      stat,
      statm: null,
      idleCount: 0,
      commandDueTicks: null,
      executable: null,
      cmdline: null,
      commandComm: '',
      command: null,
      isTold: false,
      anonBytes: null,
      rssBytes: null,
      status: null,
      statusMonotonicMs: Number.NEGATIVE_INFINITY,
      statusReadAt: null,
      facts: null,
      lastPss: null,
      pssFailedMonotonicMs: Number.NEGATIVE_INFINITY,
    };
    this.processes.set(pid, process);
    this.#rounds.add(process);
    this.awake.push(process);
    this.#readCommand(process, at);
  }

  #readCommand(process: TrackedProcess, at: TableTick): void {
    process.commandDueTicks = nextCommandTicks(process, at);
    const cmdline = process.files.commandLine();
    // A dying process loses its command line first, and one that is renaming itself shows nothing
    // but NULs: what it was is kept.
    if (isBlank(cmdline) && process.ownRole !== null) return;
    // A young process is read again and again; most times it says the same.
    if (cmdline === process.cmdline && process.stat.comm === process.commandComm) return;
    process.isTold = false;
    process.cmdline = this.#storesCommands ? cmdline : null;
    process.commandComm = process.stat.comm;
    process.executable = process.files.executable() ?? process.executable;
    const words = roleOfCommand({
      cmdline,
      executable: process.executable,
      comm: process.stat.comm,
    });
    // Its children have told that it is one.
    const isProven = words === 'perhaps_browser' && process.ownRole === 'browser';
    const ownRole = isProven ? 'browser' : words;
    // A fork of the browser that took another program (a shell, a helper) is no part of it any more.
    if (process.ownRole !== null && ownRole === null) {
      process.browserPid = null;
      process.statm = null;
    }
    process.ownRole = ownRole;
    if (this.#storesCommands && !isBlank(cmdline)) {
      process.command = printableLatin1(safeCommand(cmdline) ?? '') || null;
    }
  }

  #drop(pid: number, ended: EndedProcess[]): void {
    const process = this.processes.get(pid);
    if (process === undefined) return;
    process.files.close();
    this.processes.delete(pid);
    this.#rounds.delete(process);
    const { startTicks, role, browserPid } = process;
    ended.push({ pid, startTicks, role, browserPid });
  }
}

// Only what is of no browser, and has not run for a while.
function mayRest(process: TrackedProcess): boolean {
  return (
    process.idleCount >= restingAfterCount &&
    process.ownRole === null &&
    process.browserPid === null
  );
}

// Memory that stands still, and no CPU time for a while: stat is read in one tick of four.
function isQuiet(process: TrackedProcess, at: TableTick): boolean {
  return (
    process.idleCount >= restingAfterCount &&
    (at.tick + process.pid) % statOfQuietEveryTicks !== 0 &&
    !isDueForCommand(process, at)
  );
}

function isBlank(cmdline: string): boolean {
  return blank.test(cmdline);
}

function isDueForCommand({ commandDueTicks }: TrackedProcess, at: TableTick): boolean {
  return commandDueTicks !== null && at.nowTicks >= commandDueTicks;
}

function nextCommandTicks(process: TrackedProcess, at: TableTick): number | null {
  const ageSeconds = (at.nowTicks - process.startTicks) / at.ticksPerSecond;
  if (ageSeconds >= settlingSeconds) return null;
  const inSeconds = ageSeconds < youngSeconds ? youngEverySeconds : settlingEverySeconds;
  return at.nowTicks + inSeconds * at.ticksPerSecond;
}
