import { existsSync } from 'node:fs';
import type { FleetSession } from '../../model/fleet-session.ts';

/** The answer of `headroom fleet top`; as JSON it is its output. Fields are only added. */
export interface FleetTop {
  schemaVersion: 1;
  /** Among so many. */
  of: number;
  order: TopOrder;
  sessions: TopSession[];
}

/** A session, the worst first, and where its recording is. */
export interface TopSession extends RankedSession {
  /** Whether there is a file of the name of its recording. */
  isFileThere: boolean;
}

interface RankedSession
  extends Omit<FleetSession, 'workingSetBytes' | 'utilizationRatio' | 'availableMinBytes'> {
  /** The least that was available in any sample; null: not known. */
  headroomMinBytes: number | null;
  /** The largest share of the limit, as it was then, that the working set had; null: not known. */
  utilizationMaxRatio: number | null;
}

export const topOrders = ['memory', 'peak', 'oom', 'growth', 'gaps'] as const;

/**
 * What is worst. `memory`: those that met their limit or died for want of memory, then by how little
 * was left, as a share of the limit at the end; `peak`: the largest; `oom`: the most kills; `growth`:
 * those that grew fastest when their recording ended; `gaps`: the most time missing. With the last three
 * only those that have any.
 */
export type TopOrder = (typeof topOrders)[number];

export function fleetTop(
  sessions: Iterable<FleetSession>,
  {
    count,
    order,
    isThere = existsSync,
  }: { count: number; order: TopOrder; isThere?: (file: string) => boolean },
): FleetTop {
  let of = 0;
  let worst: RankedSession[] = [];
  for (const session of sessions) {
    of++;
    if (!has[order](session)) continue;
    worst.push(ranked(session));
    // Now and then, so that a fleet of any size takes the memory of a few.
    if (worst.length >= 2 * count + 100) worst = cut(worst, count, order);
  }
  const named = cut(worst, count, order).map((session) => ({
    ...session,
    isFileThere: session.file !== null && isThere(session.file),
  }));
  return { schemaVersion: 1, of, order, sessions: named };
}

function cut(sessions: readonly RankedSession[], count: number, order: TopOrder): RankedSession[] {
  return sessions.toSorted(orders[order]).slice(0, count);
}

type Compare = (a: RankedSession, b: RankedSession) => number;

const byPeak: Compare = (a, b) => b.demandBytes - a.demandBytes || (a.id < b.id ? -1 : 1);
const byHeadroom: Compare = (a, b) => leftOf(a) - leftOf(b) || byPeak(a, b);
const leftOf = ({ headroomMinBytes, limitBytes }: RankedSession) =>
  headroomMinBytes === null || limitBytes <= 0 ? 1 : headroomMinBytes / limitBytes;
const byKills: Compare = (a, b) => b.oomKillCount - a.oomKillCount || byHeadroom(a, b);
const paceOf = ({ growth }: RankedSession) => growth?.bytesPerMinute ?? 0;
const isShort = ({ isCensored, oomKillCount }: RankedSession) => isCensored || oomKillCount > 0;

const orders: Readonly<Record<TopOrder, Compare>> = {
  memory: (a, b) => Number(isShort(b)) - Number(isShort(a)) || byHeadroom(a, b),
  peak: byPeak,
  oom: byKills,
  growth: (a, b) => paceOf(b) - paceOf(a) || byHeadroom(a, b),
  gaps: (a, b) => b.gapMs - a.gapMs || byHeadroom(a, b),
};

/** A session without a gap is not the worst by its gaps, however few have any. */
const has: Readonly<Record<TopOrder, (session: FleetSession) => boolean>> = {
  memory: () => true,
  peak: () => true,
  oom: ({ oomKillCount }) => oomKillCount > 0,
  growth: ({ growth }) => (growth?.bytesPerMinute ?? 0) > 0,
  gaps: ({ gapCount }) => gapCount > 0,
};

function ranked(session: FleetSession): RankedSession {
  const { workingSetBytes: _, utilizationRatio, availableMinBytes, ...facts } = session;
  return {
    ...facts,
    headroomMinBytes: availableMinBytes,
    utilizationMaxRatio: utilizationRatio?.quantile(1) ?? null,
  };
}
