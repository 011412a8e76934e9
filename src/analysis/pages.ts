import type { RecordingEvent } from '../model/event.ts';
import type { TargetCrash } from '../model/page-event.ts';
import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import { type GroupMemory, groupMemories, noMemory } from './group-memory.ts';
import { type PageStretch, pageStretches } from './page-stretches.ts';
import { restGroup, restStretches } from './rest-stretches.ts';

/** A page at one address. */
export interface PageReport {
  /** Of the tab: the same at its next address. */
  targetId: string;
  targetType: string;
  /** An origin, unless whole addresses were recorded. */
  url: string | null;
  firstUnixMs: number;
  lastUnixMs: number;
  /** Of all the processes that it was in, together; of a shared one the whole, never a part. */
  memoryBytes: GroupMemory;
  /** Another page was in one of its processes at the same time. */
  isShared: boolean;
  processes: PageProcess[];
  /** What the browser said last of the end of its process. */
  crash: { timeUnixMs: number; status: string; errorCode: number } | null;
}

export interface PageProcess {
  pid: number;
  startTicks: number;
  fromUnixMs: number;
  toUnixMs: number;
  /** Only a frame of the page was in it. */
  isFrame: boolean;
  /** Target ids of the other pages that were in it at the same time. */
  sharedWith: string[];
}

/** What of the browser's renderers is no page's. */
export interface OutsidePages {
  /** Targets whose process could not be told. */
  unknownCount: number;
  /** Renderers without a page at the end: kept for going back, spare, or of workers. */
  pids: number[];
  /** Of all renderers while they had no page. */
  memoryBytes: GroupMemory;
}

export interface PagesSection {
  /** The largest first; empty where pages were not watched. */
  pages: PageReport[];
  /** Null where pages were not watched. */
  outsidePages: OutsidePages | null;
}

type Bounds = Required<Record<'fromUnixMs' | 'toUnixMs', number>>;
type BoundStretch = PageStretch & { toUnixMs: number };

/** Memory of pages, where the recorder was asked to watch them. */
export function pagesSection(recording: Recording, range: TimeRange): PagesSection {
  // From the beginning: where a page is when the range begins was told before.
  const events = recording.events({ toUnixMs: range.toUnixMs });
  const first = events.find((event) => event.kind === 'page');
  const lastTick = recording.lastTick();
  if (first === undefined || lastTick === null) return { pages: [], outsidePages: null };
  const bounds: Bounds = {
    fromUnixMs: Math.max(first.timeUnixMs, range.fromUnixMs ?? 0),
    toUnixMs: Math.min(lastTick.timeUnixMs, range.toUnixMs ?? lastTick.timeUnixMs),
  };
  const processes = recording.processes();
  const placed = pageStretches(events, processes);
  const stretches = placed.stretches.flatMap((stretch) => within(stretch, bounds));
  const rest = restStretches(placed.stretches, processes, bounds);
  const memories = groupMemories(recording.processSamples({ toUnixMs: bounds.toUnixMs }), [
    ...stretches.map((stretch) => ({ ...stretch, ...memberOf(stretch) })),
    ...rest,
  ]);
  const restNow = new Set(rest.filter((gap) => gap.toUnixMs >= bounds.toUnixMs).map(processOf));
  return {
    pages: pageReports(stretches, memories, events),
    outsidePages: {
      unknownCount: placed.unknownCount,
      pids: processes.filter(({ process }) => restNow.has(process)).map(({ pid }) => pid),
      memoryBytes: memories.get(restGroup) ?? noMemory,
    },
  };
}

function within(stretch: PageStretch, bounds: Bounds): BoundStretch[] {
  const fromUnixMs = Math.max(stretch.fromUnixMs, bounds.fromUnixMs);
  const toUnixMs = Math.min(stretch.toUnixMs ?? bounds.toUnixMs, bounds.toUnixMs);
  return toUnixMs < fromUnixMs ? [] : [{ ...stretch, fromUnixMs, toUnixMs }];
}

function memberOf(stretch: PageStretch) {
  return { group: groupOf(stretch), process: stretch.process.process };
}

function groupOf({ pageId, url }: PageStretch): string {
  return JSON.stringify([pageId, url]);
}

function processOf({ process }: { process: number }): number {
  return process;
}

function pageReports(
  stretches: readonly BoundStretch[],
  memories: ReadonlyMap<string, GroupMemory>,
  events: readonly RecordingEvent[],
): PageReport[] {
  const inProcess = grouped(stretches, ({ process }) => process.process);
  const crashes = events.filter((event) => event.kind === 'target_crash');
  return [...grouped(stretches, groupOf)]
    .map(([group, own]): PageReport => {
      const [first] = own;
      const processes = own.map((stretch) =>
        pageProcess(stretch, inProcess.get(stretch.process.process) ?? []),
      );
      return {
        targetId: first.pageId,
        targetType: first.targetType,
        url: first.url,
        firstUnixMs: own.reduce(
          (least, stretch) => Math.min(least, stretch.fromUnixMs),
          Number.POSITIVE_INFINITY,
        ),
        lastUnixMs: own.reduce((most, stretch) => Math.max(most, stretch.toUnixMs), 0),
        memoryBytes: memories.get(group) ?? noMemory,
        isShared: processes.some(({ sharedWith }) => sharedWith.length > 0),
        processes,
        crash: crashOf(own, crashes),
      };
    })
    .sort(
      (a, b) =>
        (b.memoryBytes.peak ?? -1) - (a.memoryBytes.peak ?? -1) || a.firstUnixMs - b.firstUnixMs,
    );
}

function pageProcess(stretch: BoundStretch, inProcess: readonly BoundStretch[]): PageProcess {
  const others = inProcess.filter(
    (other) =>
      other.pageId !== stretch.pageId &&
      other.fromUnixMs < stretch.toUnixMs &&
      stretch.fromUnixMs < other.toUnixMs,
  );
  return {
    pid: stretch.process.pid,
    startTicks: stretch.process.startTicks,
    fromUnixMs: stretch.fromUnixMs,
    toUnixMs: stretch.toUnixMs,
    isFrame: stretch.isFrame,
    sharedWith: [...new Set(others.map(({ pageId }) => pageId))],
  };
}

function crashOf(own: readonly BoundStretch[], crashes: readonly TargetCrash[]) {
  const crash = crashes.findLast(({ pid, startTicks }) =>
    own.some(({ process }) => process.pid === pid && process.startTicks === startTicks),
  );
  if (crash === undefined) return null;
  const { timeUnixMs, status, errorCode } = crash;
  return { timeUnixMs, status, errorCode };
}

function grouped<T, K>(values: readonly T[], keyOf: (value: T) => K): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
