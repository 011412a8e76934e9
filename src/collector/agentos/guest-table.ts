import type { GuestEndSource, GuestProcess } from '../../model/agentos.ts';
import type { GuestRow } from './guest-row.ts';
import type { StartedProcess } from './vm-handle.ts';

type Known = Omit<GuestProcess, 'kind' | 'timeUnixMs' | 'change'>;

// An end is told twice, by an event and by the table, seconds apart at most.
const mostRemembered = 1000;

/**
 * The guest processes of a VM, followed by their ids: rows of the table come every tick, ends of what
 * the owner started as events at once. Ends of what a guest started are told by nobody: it is only
 * gone, and its code is not known.
 */
export class GuestTable {
  readonly #startedProcess: (publicPid: number) => StartedProcess | null;
  readonly #living = new Map<string, Known>();
  readonly #ended = new Map<string, Known>();

  constructor(startedProcess: (publicPid: number) => StartedProcess | null) {
    this.#startedProcess = startedProcess;
  }

  /** What is new in the whole table of the VM. */
  observe(rows: readonly GuestRow[], timeUnixMs: number): GuestProcess[] {
    const events: GuestProcess[] = [];
    const there = new Set(rows.map(({ processId }) => processId));
    for (const known of [...this.#living.values()]) {
      if (!there.has(known.processId)) {
        events.push(this.#end({ ...known, exitCode: null }, 'vanished', timeUnixMs));
      }
    }
    for (const row of rows) events.push(...this.#observeOne(row, timeUnixMs));
    return events;
  }

  /** The VM told an end; nothing where that is known already, code and all. */
  exited(processId: string, exitCode: number | null, timeUnixMs: number): GuestProcess[] {
    const before = this.#ended.get(processId);
    // The table may have been without it before the event came.
    const isNews = before === undefined || before.endSource === 'vanished';
    if (!isNews) return [];
    const known = before ?? this.#living.get(processId) ?? this.#unseen(processId);
    return [this.#end({ ...known, exitCode }, 'event', timeUnixMs)];
  }

  /** Whatever there is goes with its VM, by no doing of its own. */
  endAll(source: 'vm_disposed' | 'vm_lost', timeUnixMs: number): GuestProcess[] {
    return [...this.#living.values()].map((known) =>
      this.#end({ ...known, exitCode: null }, source, timeUnixMs),
    );
  }

  #observeOne(row: GuestRow, timeUnixMs: number): GuestProcess[] {
    const ended = this.#ended.get(row.processId);
    // A table that was read before the event came, or the row of an end, which stays for two seconds.
    if (ended !== undefined && (ended.pid === null || ended.pid === row.pid)) {
      if (ended.pid !== null || ended.endSource === null) return [];
      const { exitCode, endSource } = ended;
      return [this.#end({ ...this.#knownOf(row), exitCode }, endSource, timeUnixMs)];
    }
    const before = this.#living.get(row.processId);
    const events: GuestProcess[] = [];
    if (before !== undefined && before.pid !== row.pid) {
      events.push(this.#end({ ...before, exitCode: null }, 'vanished', timeUnixMs));
      this.#ended.delete(row.processId);
    }
    const same = before?.pid === row.pid ? before : undefined;
    const known = this.#knownOf(row, same);
    if (row.state === 'exited') return [...events, this.#end(known, 'snapshot', timeUnixMs)];
    this.#living.set(row.processId, known);
    const change = changeOf(same, known);
    if (change !== null) events.push(eventOf(known, change, timeUnixMs));
    return events;
  }

  #knownOf(row: GuestRow, before?: Known): Known {
    const started = before === undefined ? this.#startOf(row.processId) : null;
    return {
      ...row,
      command: before?.command ?? started?.command ?? row.command,
      startedUnixMs: before?.startedUnixMs ?? started?.startedUnixMs ?? null,
      endSource: null,
    };
  }

  #unseen(processId: string): Known {
    const started = this.#startOf(processId);
    return {
      processId,
      pid: null,
      parentPid: null,
      groupPid: null,
      sessionPid: null,
      state: 'exited',
      command: started?.command ?? null,
      startedUnixMs: started?.startedUnixMs ?? null,
      exitCode: null,
      endSource: null,
    };
  }

  #startOf(processId: string): StartedProcess | null {
    const publicPid = publicPidOf(processId);
    if (publicPid === null) return null;
    const started = this.#startedProcess(publicPid);
    // The name alone: arguments can hold secrets.
    const command = /^\S+/.exec(started?.command ?? '')?.[0] ?? null;
    return started === null ? null : { ...started, command };
  }

  #end(known: Known, endSource: GuestEndSource, timeUnixMs: number): GuestProcess {
    const ended: Known = { ...known, state: 'exited', endSource };
    this.#living.delete(known.processId);
    this.#ended.delete(known.processId);
    this.#ended.set(known.processId, ended);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > mostRemembered && oldest !== undefined) this.#ended.delete(oldest);
    return eventOf(ended, 'ended', timeUnixMs);
  }
}

/** The pid that the client shows, which is none of the VM's: only these ids are made of it. */
export function publicPidOf(processId: string): number | null {
  const digits = /^proc-(\d{1,15})$/.exec(processId)?.[1];
  return digits === undefined ? null : Number(digits);
}

function changeOf(before: Known | undefined, now: Known): GuestProcess['change'] | null {
  if (before === undefined) return 'seen';
  if (before.state !== now.state) return 'state';
  const isMoved =
    before.parentPid !== now.parentPid ||
    before.groupPid !== now.groupPid ||
    before.sessionPid !== now.sessionPid;
  return isMoved ? 'parent' : null;
}

function eventOf(known: Known, change: GuestProcess['change'], timeUnixMs: number): GuestProcess {
  return { kind: 'guest_process', timeUnixMs, change, ...known };
}
