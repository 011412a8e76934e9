import type { RecordingEvent } from '../model/event.ts';
import type { PagePlacement } from '../model/page-event.ts';
import type { ProcessRecord } from '../model/recording.ts';

/** A stretch of time in which a page, or a frame of it, was in one process. */
export interface PageStretch {
  /** Of the page, also when it is a frame of it that was there; a frame's own if that is not known. */
  pageId: string;
  /** Of the page at that time. */
  url: string | null;
  targetType: string;
  isFrame: boolean;
  process: ProcessRecord;
  fromUnixMs: number;
  /** Null: still so when the recording ended. */
  toUnixMs: number | null;
}

export interface PlacedPages {
  stretches: PageStretch[];
  /** Targets whose process could not be told when they were looked at last. */
  unknownCount: number;
}

/** Where pages were, of the events that say so; each stretch ends with its process, at the latest. */
export function pageStretches(
  events: readonly RecordingEvent[],
  processes: readonly ProcessRecord[],
): PlacedPages {
  const placements = events.filter((event) => event.kind === 'page');
  const records = new Map(processes.map((record) => [keyOf(record), record]));
  // The newest word on each target; on a page that a frame was found before: the first.
  const now = new Map(placements.toReversed().map((placement) => [placement.targetId, placement]));
  const open = new Map<string, PageStretch>();
  const stretches: PageStretch[] = [];
  for (const placement of placements) {
    const { targetId, timeUnixMs } = placement;
    now.set(targetId, placement);
    const stretch = stretchOf(placement, { now, records });
    if (stretch === null || !isSame(stretch, open.get(targetId))) {
      close(open, targetId, timeUnixMs);
      if (stretch !== null) begin(open, targetId, stretch, stretches);
    }
    // Its frames are from now on those of another address.
    for (const [frameId, frame] of [...open]) {
      if (frameId === targetId || frame.pageId !== targetId || frame.url === placement.url)
        continue;
      close(open, frameId, timeUnixMs);
      begin(
        open,
        frameId,
        { ...frame, url: placement.url, fromUnixMs: timeUnixMs, toUnixMs: null },
        stretches,
      );
    }
  }
  for (const stretch of stretches) endWithProcess(stretch);
  const states = [...now.values()].filter(({ state }) => state === 'unknown');
  return {
    stretches: stretches.filter(
      ({ fromUnixMs, toUnixMs }) => toUnixMs === null || toUnixMs > fromUnixMs,
    ),
    unknownCount: states.length,
  };
}

function close(open: Map<string, PageStretch>, targetId: string, timeUnixMs: number): void {
  const stretch = open.get(targetId);
  if (stretch !== undefined) stretch.toUnixMs = timeUnixMs;
  open.delete(targetId);
}

function begin(
  open: Map<string, PageStretch>,
  targetId: string,
  stretch: PageStretch,
  stretches: PageStretch[],
): void {
  open.set(targetId, stretch);
  stretches.push(stretch);
}

function stretchOf(
  placement: PagePlacement,
  known: { now: ReadonlyMap<string, PagePlacement>; records: ReadonlyMap<string, ProcessRecord> },
): PageStretch | null {
  const { targetId, targetType, pid, startTicks, timeUnixMs } = placement;
  if (placement.state !== 'placed' || pid === null || startTicks === null) return null;
  const process = known.records.get(keyOf({ pid, startTicks }));
  if (process === undefined) return null;
  const pageId = placement.pageTargetId ?? targetId;
  const isFrame = pageId !== targetId;
  const page = known.now.get(pageId);
  return {
    pageId,
    url: isFrame ? (page?.url ?? null) : placement.url,
    targetType: isFrame ? (page?.targetType ?? 'page') : targetType,
    isFrame,
    process,
    fromUnixMs: timeUnixMs,
    toUnixMs: null,
  };
}

// Of a frame that moved within its process, and at first had no address, more than one thing is told.
function isSame({ pageId, url, process }: PageStretch, before: PageStretch | undefined): boolean {
  return before?.pageId === pageId && before.url === url && before.process === process;
}

function endWithProcess(stretch: PageStretch): void {
  const { endedUnixMs } = stretch.process;
  if (endedUnixMs === null) return;
  stretch.toUnixMs = Math.min(stretch.toUnixMs ?? endedUnixMs, endedUnixMs);
}

function keyOf({ pid, startTicks }: Pick<ProcessRecord, 'pid' | 'startTicks'>): string {
  return `${pid} ${startTicks}`;
}
