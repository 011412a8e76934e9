import type { OomKill, RecordingEvent } from '../model/event.ts';
import type { ProcessRole } from '../model/process-role.ts';
import type { BrowserProcess, ProcessSample, Recording } from '../model/recording.ts';

/** The processes of one role at one instant; null when unknown for one of the living. */
export interface RoleTotals {
  processCount: number;
  rssBytes: number;
  anonBytes: number | null;
  swapBytes: number | null;
  /** The last reading of each, and what its anonymous memory changed since. */
  pssBytes: number | null;
  largestRssBytes: number;
  /** Spent while recorded, by the living and the dead. */
  cpuMs: number;
  /** Those that the kernel's log names as killed, so far. */
  oomVictimCount: number;
}

export type RoleSnapshot = ReadonlyMap<ProcessRole, RoleTotals>;

/** One process at one instant. */
export interface LivingProcess {
  record: BrowserProcess;
  rssBytes: number;
  anonBytes: number | null;
  swapBytes: number | null;
  /** The last reading, and what its anonymous memory changed since. */
  pssBytes: number | null;
  /** Spent while recorded. */
  cpuMs: number;
}

interface Member {
  record: BrowserProcess;
  sample: ProcessSample | null;
  lastPss: { pssBytes: number; anonBytes: number } | null;
}

interface Stretch {
  samples: readonly ProcessSample[];
  events: readonly RecordingEvent[];
  toUnixMs: number;
}

interface Victim {
  unixMs: number;
  role: ProcessRole;
}

// A record of the kernel's log may be stored this long after the tick that it belongs to.
const lateKillMs = 60_000;
// The end of a process may be stored so long after the tick in which it was noticed.
const lateEndMs = 60_000;
const lookBackTicks = 120;
const leastLookBackMs = 900_000;
// The pid of a victim is looked for among those that lived this close to the kill.
const killToleranceMs = 10_000;

/**
 * Follows the browser's processes through a recording, forward only. Rows of processes are sparse:
 * each holds until the next one of the same process.
 */
export class BrowserRoles {
  readonly #members = new Map<number, Member>();
  readonly #ended = new Set<number>();
  readonly #records = new Map<number, BrowserProcess>();
  readonly #endedCpuMs = new Map<ProcessRole, number>();
  readonly #seenRoles = new Set<ProcessRole>();
  readonly #victims = new Map<number | string, Victim>();
  #untilUnixMs: number | null = null;
  #readUnixMs = Number.NEGATIVE_INFINITY;
  // The recording had ended when its processes were read.
  #isFinal = false;

  /**
   * Goes to this time, from the beginning, over ticks whose totals are not asked for; gives the last.
   * Every process has a row in every 60 ticks, so a look back is enough; only a PSS that is older is
   * forgotten.
   */
  skipTo(recording: Recording, unixMs: number): RoleSnapshot {
    const backMs = Math.max(leastLookBackMs, lookBackTicks * recording.facts.intervalMs);
    const stretch = readStretch(recording, {
      samplesFromUnixMs: unixMs - backMs,
      toUnixMs: unixMs,
    });
    this.#enter(recording, stretch);
    for (const sample of stretch.samples) this.#take(sample);
    return this.#totals(this.#membersAt(unixMs), unixMs);
  }

  /**
   * The totals at each of these ticks, which follow on those of the call before. A role appears when
   * its first process does and then stays, with 0 when the last one is gone. `see` is shown the
   * processes of each tick, by first sight.
   */
  totalsAt(
    recording: Recording,
    ticks: readonly { timeUnixMs: number }[],
    see?: (processes: readonly LivingProcess[]) => void,
  ): RoleSnapshot[] {
    const toUnixMs = ticks.reduce((latest, tick) => Math.max(latest, tick.timeUnixMs), 0);
    const until = this.#untilUnixMs;
    const stretch = readStretch(recording, {
      samplesFromUnixMs: until === null ? undefined : until + 1,
      eventsFromUnixMs: until === null ? undefined : until - lateKillMs,
      toUnixMs,
    });
    this.#enter(recording, stretch);
    const { samples } = stretch;
    let taken = 0;
    const snapshots = ticks.map(({ timeUnixMs }) => {
      for (; (samples[taken]?.timeUnixMs ?? Infinity) <= timeUnixMs; taken++) {
        this.#take(samples[taken]);
      }
      const members = this.#membersAt(timeUnixMs);
      see?.(members.map(livingProcess).filter((process) => process !== null));
      return this.#totals(members, timeUnixMs);
    });
    for (; taken < samples.length; taken++) this.#take(samples[taken]);
    return snapshots;
  }

  #enter(recording: Recording, stretch: Stretch): void {
    this.#meet(recording, stretch);
    this.#learnVictims(stretch.events);
    this.#untilUnixMs = Math.max(stretch.toUnixMs, this.#untilUnixMs ?? stretch.toUnixMs);
  }

  #meet(recording: Recording, stretch: Stretch): void {
    if (this.#isFinal) return;
    const isLive = recording.isLive;
    for (const record of recording.browserProcesses(this.#readUnixMs - lateEndMs)) {
      this.#records.set(record.process, record);
      if (this.#ended.has(record.process)) continue;
      const member = this.#members.get(record.process);
      if (member !== undefined) member.record = record;
      else this.#members.set(record.process, { record, sample: null, lastPss: null });
    }
    this.#readUnixMs = stretch.toUnixMs;
    this.#isFinal = !isLive;
  }

  #learnVictims(events: readonly RecordingEvent[]): void {
    for (const event of events) {
      if (event.kind !== 'oom_kill' || event.beforeStart || event.timeUnixMs === null) continue;
      const record = victimOf(event, event.timeUnixMs, [...this.#records.values()]);
      if (record === undefined) continue;
      this.#victims.set(event.kmsgSequence ?? `${event.pid} ${event.timeUnixMs}`, {
        unixMs: event.timeUnixMs,
        role: record.role,
      });
    }
  }

  #take(sample: ProcessSample | undefined): void {
    const member = this.#members.get(sample?.process ?? 0);
    if (sample === undefined || member === undefined) return;
    member.sample = sample;
    if (sample.pssBytes !== null && sample.anonBytes !== null) {
      member.lastPss = { pssBytes: sample.pssBytes, anonBytes: sample.anonBytes };
    }
  }

  #membersAt(unixMs: number): Member[] {
    this.#retire(unixMs);
    return [...this.#members.values()].filter(({ record }) => record.firstUnixMs <= unixMs);
  }

  #totals(members: readonly Member[], unixMs: number): RoleSnapshot {
    for (const { record } of members) this.#seenRoles.add(record.role);
    const totals = new Map<ProcessRole, RoleTotals>();
    for (const role of this.#seenRoles) totals.set(role, this.#emptyTotals(role, unixMs));
    for (const member of members) {
      const sum = totals.get(member.record.role);
      if (sum !== undefined) addMember(sum, member);
    }
    return totals;
  }

  #retire(unixMs: number): void {
    for (const [process, { record }] of this.#members) {
      if (record.endedUnixMs === null || unixMs < record.endedUnixMs) continue;
      const cpuMs = this.#endedCpuMs.get(record.role) ?? 0;
      this.#endedCpuMs.set(record.role, cpuMs + record.lastCpuMs - record.firstCpuMs);
      this.#seenRoles.add(record.role);
      this.#ended.add(process);
      this.#members.delete(process);
    }
  }

  #emptyTotals(role: ProcessRole, unixMs: number): RoleTotals {
    const victims = [...this.#victims.values()];
    return {
      processCount: 0,
      rssBytes: 0,
      anonBytes: 0,
      swapBytes: 0,
      pssBytes: 0,
      largestRssBytes: 0,
      cpuMs: this.#endedCpuMs.get(role) ?? 0,
      oomVictimCount: victims.filter((one) => one.role === role && one.unixMs <= unixMs).length,
    };
  }
}

function readStretch(
  recording: Recording,
  range: {
    samplesFromUnixMs?: number | undefined;
    eventsFromUnixMs?: number | undefined;
    toUnixMs: number;
  },
): Stretch {
  const { samplesFromUnixMs, eventsFromUnixMs, toUnixMs } = range;
  return {
    samples: [...recording.processSamples({ fromUnixMs: samplesFromUnixMs, toUnixMs })],
    events: recording.events({ fromUnixMs: eventsFromUnixMs, toUnixMs }),
    toUnixMs,
  };
}

function victimOf(
  kill: OomKill,
  unixMs: number,
  records: readonly BrowserProcess[],
): BrowserProcess | undefined {
  return records.findLast(
    (record) =>
      record.pid === kill.pid &&
      record.firstUnixMs <= unixMs + killToleranceMs &&
      (record.endedUnixMs === null || unixMs <= record.endedUnixMs + killToleranceMs),
  );
}

function addMember(sum: RoleTotals, member: Member): void {
  sum.cpuMs += spentCpuMs(member);
  const process = livingProcess(member);
  if (process === null) return;
  sum.processCount++;
  sum.rssBytes += process.rssBytes;
  sum.anonBytes = plus(sum.anonBytes, process.anonBytes);
  sum.swapBytes = plus(sum.swapBytes, process.swapBytes);
  sum.pssBytes = plus(sum.pssBytes, process.pssBytes);
  sum.largestRssBytes = Math.max(sum.largestRssBytes, process.rssBytes);
}

// A zombie has a pid and no memory, and of one that vanished while it was read nothing is known.
function livingProcess(member: Member): LivingProcess | null {
  const { record, sample, lastPss } = member;
  if (sample === null || sample.rssBytes === null) return null;
  if (sample.state === 'Z' || sample.state === 'X') return null;
  const { rssBytes, anonBytes, swapBytes } = sample;
  const pssBytes =
    lastPss === null || anonBytes === null
      ? null
      : Math.max(0, lastPss.pssBytes + anonBytes - lastPss.anonBytes);
  return { record, rssBytes, anonBytes, swapBytes, pssBytes, cpuMs: spentCpuMs(member) };
}

function spentCpuMs({ record, sample }: Member): number {
  return (sample?.cpuMs ?? record.firstCpuMs) - record.firstCpuMs;
}

function plus(sum: number | null, part: number | null): number | null {
  return sum === null || part === null ? null : sum + part;
}
