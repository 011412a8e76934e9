import type { RecordingEvent } from '../../model/event.ts';
import { gapBetween } from '../../model/gap.ts';
import { type ProcessRole, processRoles } from '../../model/process-role.ts';
import type { Pressure, Sample } from '../../model/sample.ts';
import {
  availableBytes,
  sessionLimit,
  type Tick,
  usedBytes,
  workingSetBytes,
} from '../../model/session-memory.ts';
import {
  membershipAmong,
  membershipRank,
  sharesMachine,
  withoutNeighbours,
} from '../membership.ts';
import type { Victim } from '../oom-victim.ts';
import { roleGrowth } from '../role-growth.ts';
import { trackSlowReadings } from '../slow-readings.ts';
import { killsInSession } from './kills-in-session.ts';
import {
  growthWindowMs,
  ProcessTrack,
  rateWindowMs,
  type TrackedProcess,
  type TrackedReading,
} from './process-track.ts';
import { isEndTold, type PlacedEvent, topEvents } from './top-events.ts';
import {
  memoryOf,
  type PressureShare,
  type TopFigures,
  type TopProcess,
  type TopRole,
  type TopView,
} from './top-view.ts';

const mostEvents = 1000;
/** A stall shorter than this leaves the figures of minutes as they are. */
const longStallMs = growthWindowMs / 10;

/** The last minutes of a session, from which the live view is made. */
export class TopState {
  readonly #tracks = new Map<string, ProcessTrack>();
  #ticks: Tick[] = [];
  #events: PlacedEvent[] = [];
  readonly #slowReadings = trackSlowReadings();
  /** Of what was before nothing more is said: the start, or the end of a gap. */
  #sinceUnixMs = Number.NEGATIVE_INFINITY;

  /** A whole sample: processes that are not in it have ended. */
  addSample(sample: Sample, events: readonly RecordingEvent[]): void {
    const before = this.#ticks.at(-1)?.timeUnixMs ?? sample.timeUnixMs;
    this.addTick(sample);
    const living = new Set<string>();
    for (const process of withoutNeighbours(sample.processes, sample.cgroup)) {
      const key = `${process.pid} ${process.startTicks}`;
      living.add(key);
      this.addReading(key, process, { ...process, timeUnixMs: sample.timeUnixMs });
    }
    for (const key of this.#tracks.keys()) {
      if (!living.has(key)) this.endProcess(key, before);
    }
    this.addEvents(this.#placed(sample, events));
    this.placeKills(() => [...this.#tracks.values()].map((track) => track.victim()));
  }

  addTick(tick: Tick): void {
    const last = this.#ticks.at(-1);
    const gap = last === undefined ? null : gapBetween(last, tick, tick.intervalMs);
    const isBroken = gap !== null && (gap.gap !== 'stall' || gap.wallMs > longStallMs);
    if (last === undefined || isBroken) {
      this.#ticks = [];
      this.#sinceUnixMs = tick.timeUnixMs;
    }
    this.#ticks.push(tick);
    this.#slowReadings.add(tick);
    const isOver = (at: Tick | undefined) =>
      at !== undefined && tick.monotonicMs - at.monotonicMs >= rateWindowMs;
    while (isOver(this.#ticks[1])) this.#ticks.shift();
  }

  addReading(key: string, facts: TrackedProcess, reading: TrackedReading): void {
    const track = this.#tracks.get(key);
    if (track === undefined) this.#tracks.set(key, new ProcessTrack(facts, reading));
    else track.add(facts, reading);
  }

  /** It is gone; what it held still counts in the growth of its role. */
  endProcess(key: string, lastUnixMs: number): void {
    const track = this.#tracks.get(key);
    if (track === undefined) return;
    const now = this.#ticks.at(-1)?.timeUnixMs ?? lastUnixMs;
    track.lastUnixMs ??= lastUnixMs;
    track.endedUnixMs ??= now;
    if (now - track.lastUnixMs > growthWindowMs) this.#tracks.delete(key);
  }

  addEvents(events: readonly PlacedEvent[]): void {
    this.#events = [...this.#events, ...events].slice(-mostEvents);
  }

  /** Finds out whose the kills are of which that is not known so far; asks for processes only then. */
  placeKills(processesOf: () => readonly Victim[]): void {
    const tick = this.#ticks.at(-1);
    const isOpen = ({ event, inSession }: PlacedEvent) =>
      event.kind === 'oom_kill' && !event.beforeStart && inSession === null;
    if (tick === undefined || !this.#events.some(isOpen)) return;
    const places = killsInSession(
      this.#events.map(({ event }) => event),
      {
        processes: processesOf(),
        intervalMs: tick.intervalMs,
        endUnixMs: tick.timeUnixMs,
        cgroup: tick.cgroup,
        slowReadings: this.#slowReadings.result(),
      },
    );
    this.#events = this.#events.map((one) =>
      isOpen(one) ? { ...one, inSession: places.get(one.event) ?? null } : one,
    );
  }

  /** Null before the first sample. */
  view(source: string, state: TopView['state']): TopView | null {
    const tick = this.#ticks.at(-1);
    if (tick === undefined) return null;
    const now = tick.timeUnixMs;
    const limit = sessionLimit(tick);
    const living = [...this.#tracks.values()].filter(
      (track) => track.lastUnixMs === null && track.last.state !== 'Z',
    );
    const { browser } = tick;
    const session = { isMachineShared: sharesMachine(tick.cgroup) };
    const membership = this.#membership();
    return {
      source,
      state,
      timeUnixMs: now,
      memory: {
        limitBytes: limit.bytes,
        limitSource: limit.source,
        usedBytes: usedBytes(tick),
        availableBytes: availableBytes(tick),
        workingSetBytes: workingSetBytes(tick),
      },
      pressure: pressureShares(this.#ticks[0] ?? tick, tick),
      browser: {
        processCount: browser.processCount,
        pssBytes: browser.pssEstimatedBytes,
        rssSumBytes: browser.rssSumBytes,
      },
      roles: this.#roles(living, now),
      ...session,
      processes: living
        .map((track) => ({ ...this.#process(track, now), inSession: membership(track.facts) }))
        .sort(
          (a, b) =>
            membershipRank(a, session) - membershipRank(b, session) ||
            (memoryOf(b) ?? -1) - (memoryOf(a) ?? -1) ||
            a.pid - b.pid,
        ),
      events: topEvents(this.#events, { isMachine: (tick.cgroup?.limitBytes ?? null) === null }),
    };
  }

  #membership(): ReturnType<typeof membershipAmong> {
    return membershipAmong([...this.#tracks.values()].map(({ facts }) => facts));
  }

  /** Whose ends they are; without those of strangers. */
  #placed(tick: Tick, events: readonly RecordingEvent[]): PlacedEvent[] {
    const membership = this.#membership();
    const session = { isMachineShared: sharesMachine(tick.cgroup) };
    return events.flatMap((event) => {
      if (event.kind !== 'process_exit') return { event, inSession: null };
      const track = this.#tracks.get(`${event.pid} ${event.startTicks}`);
      if (track === undefined) return { event, inSession: null };
      const inSession = membership(track.facts);
      return isEndTold(event, { inSession, ...session }) ? { event, inSession } : [];
    });
  }

  #process(track: ProcessTrack, now: number): Omit<TopProcess, 'inSession'> {
    const { pid, role, comm } = track.facts;
    const growth = track.growth(now, this.#growthFrom(now));
    return {
      pid,
      role,
      comm,
      state: track.last.state,
      pssBytes: track.pssBytes(),
      rssBytes: track.last.rssBytes,
      cpuRatio: track.cpuRatio(now, this.#sinceUnixMs),
      growthBytesPerMinute: growth?.bytesPerMinute ?? null,
      isLeak: growth?.isLeak ?? false,
    };
  }

  #roles(living: readonly ProcessTrack[], now: number): TopRole[] {
    const ours = living.filter(({ facts }) => facts.browserPid !== null);
    const present = new Set(ours.map(({ facts }) => facts.role));
    return processRoles
      .filter((role) => present.has(role))
      .map((role) => {
        const members = ours.filter(({ facts }) => facts.role === role);
        return { role, processCount: members.length, ...this.#sums(role, members, now) };
      });
  }

  #sums(role: ProcessRole, members: readonly ProcessTrack[], now: number): TopFigures {
    const fromUnixMs = this.#growthFrom(now);
    // Also those that have ended: their memory was given back.
    const histories = [...this.#tracks.values()]
      .filter((track) => track.facts.role === role && (track.lastUnixMs ?? now) >= fromUnixMs)
      .map((track) => ({
        role,
        browserPid: track.facts.browserPid,
        lastUnixMs: track.lastUnixMs ?? now,
        history: { anonymous: track.anonymousSince(fromUnixMs) },
      }));
    const growth = roleGrowth(role, histories);
    return {
      pssBytes: sum(members.map((track) => track.pssBytes())),
      rssBytes: sum(members.map((track) => track.last.rssBytes)),
      cpuRatio: sum(members.map((track) => track.cpuRatio(now, this.#sinceUnixMs) ?? 0)),
      growthBytesPerMinute: growth?.bytesPerMinute ?? null,
      isLeak: growth?.isLeak ?? false,
    };
  }

  #growthFrom(now: number): number {
    return Math.max(now - growthWindowMs, this.#sinceUnixMs);
  }
}

// Unknown as soon as one of them is: a sum without it would look small.
function sum(figures: readonly (number | null)[]): number | null {
  return figures.reduce(
    (total, figure) => (total === null || figure === null ? null : total + figure),
    0,
  );
}

function pressureShares(from: Tick, to: Tick): Record<PressureShare, number | null> {
  const distanceMs = to.monotonicMs - from.monotonicMs;
  const share = (field: keyof Pressure) => {
    const before = from.pressure[field];
    const after = to.pressure[field];
    if (before === null || after === null || distanceMs <= 0 || after < before) return null;
    return Math.min(1, (after - before) / distanceMs);
  };
  return {
    memorySomeRatio: share('memorySomeMs'),
    memoryFullRatio: share('memoryFullMs'),
    cpuSomeRatio: share('cpuSomeMs'),
    ioSomeRatio: share('ioSomeMs'),
    ioFullRatio: share('ioFullMs'),
  };
}
