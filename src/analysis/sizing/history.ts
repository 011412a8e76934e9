import { changePoint, ranksOf, shiftTest, trendTest } from './rank-tests.ts';
import type { SessionDemand } from './session-demand.ts';
import { visibleRise } from './visible-rise.ts';

/**
 * Whether the sessions are alike over time, as the bound takes for granted. `stable`: no change was
 * found. `changed`: the older ones were another population, and were left out. `growing`, `falling`: a
 * trend. `untested`: too few to tell.
 */
export type HistoryKind = 'stable' | 'changed' | 'growing' | 'falling' | 'untested';

export interface History {
  kind: HistoryKind;
  /** Older sessions that were left out, because they no longer tell what the next one needs. */
  leftOut: number;
  /** What was found, for people; a sentence each. */
  findings: string[];
  /** Of the sessions that are judged; null: too few. */
  trendP: number | null;
  changeP: number | null;
  /**
   * How large an even rise over the judged sessions would have been found in nine of ten such histories:
   * 0.5 is by a half from the first to the last. A smaller one may have gone unseen. Null: no test was
   * made, or a trend was found, or not even a hundredfold would have been.
   */
  visibleRiseRatio: number | null;
}

/** Below this neither test can find even a plain change. */
export const leastForTests = 8;

/**
 * To leave out old sessions that needed less, or to promise nothing, is on the safe side; so it is done
 * at 5 %. To leave out some that needed more is not: there a false alarm would spend the confidence
 * that is promised.
 */
const riseDoubt = 0.05;
const fallDoubt = 0.001;
const leastOfVersion = 5;
const untested = { trendP: null, changeP: null, visibleRiseRatio: null };

/**
 * The part of a history that still tells of the next session, oldest first. A trend cannot be cut out,
 * as the newest sessions would be too few and drift as well: then all are kept and the kind says so.
 */
export function currentPart(sessions: readonly SessionDemand[]): {
  kept: readonly SessionDemand[];
  history: History;
} {
  const ordered = sessions.toSorted((a, b) => a.startedUnixMs - b.startedUnixMs);
  const findings: string[] = [];
  const kept = afterChanges(ofNewVersion(ordered, findings), findings);
  const leftOut = ordered.length - kept.length;
  if (kept.length < leastForTests) {
    if (leftOut === 0) findings.push(`Fewer than ${leastForTests} sessions: no test for change.`);
    const kind = leftOut > 0 ? 'changed' : 'untested';
    return { kept, history: { kind, leftOut, findings, ...untested } };
  }
  const demands = demandsOf(kept);
  const trend = trendTest(demands);
  const change = changePoint(demands);
  const kind = kindOf(demands, leftOut);
  if (kind === 'growing' || kind === 'falling') {
    findings.push(`Demand is ${kind} over the history (Mann–Kendall, p ${formatP(trend.p)}).`);
  }
  const isEven = kind === 'stable' || kind === 'changed';
  const visibleRiseRatio = isEven ? visibleRise(demands, riseDoubt) : null;
  const tests = { trendP: trend.p, changeP: change.p, visibleRiseRatio };
  return { kept, history: { kind, leftOut, findings, ...tests } };
}

/** A censored session needed more than any that was measured up to its limit, and more than that. */
export function demandsOf(sessions: readonly SessionDemand[]): number[] {
  return sessions.map((session) =>
    session.isCensored ? Math.max(session.demandBytes, session.limitBytes) : session.demandBytes,
  );
}

function ofNewVersion(
  sessions: readonly SessionDemand[],
  findings: string[],
): readonly SessionDemand[] {
  const version = sessions.at(-1)?.version ?? null;
  if (version === null) return sessions;
  const current = sessions.filter((session) => session.version === version);
  const others = sessions.filter((session) => session.version !== version);
  if (others.length === 0) return sessions;
  if (current.length < leastOfVersion) {
    findings.push(
      `Version ${version} is new and has ${current.length} of these sessions: too few to tell whether it needs as much as the others.`,
    );
    return sessions;
  }
  const shift = shiftTest(demandsOf(others), demandsOf(current));
  if (shift.p >= (shift.z > 0 ? riseDoubt : fallDoubt)) return sessions;
  const way = shift.z > 0 ? 'more' : 'less';
  findings.push(
    `Version ${version} needs ${way} than the ${others.length} other sessions (rank-sum test, p ${formatP(shift.p)}): they are left out.`,
  );
  return current;
}

function afterChanges(
  sessions: readonly SessionDemand[],
  findings: string[],
): readonly SessionDemand[] {
  if (sessions.length < leastForTests) return sessions;
  const demands = demandsOf(sessions);
  const { z, p, at } = changePoint(demands);
  if (p >= (z > 0 ? riseDoubt : fallDoubt) || !isStep(demands, at)) return sessions;
  const began = new Date(sessions[at]?.startedUnixMs ?? 0).toISOString().slice(0, 10);
  findings.push(
    `Demand ${z > 0 ? 'rose' : 'fell'} with the session of ${began} (Pettitt, p ${formatP(p)}): the ${at} before it are left out.`,
  );
  return afterChanges(sessions.slice(at), findings);
}

/** Whether one step explains the ranks better than a straight line: their sums of squares compared. */
function isStep(demands: readonly number[], at: number): boolean {
  const n = demands.length;
  const ranks = ranksOf(demands);
  const middle = (n + 1) / 2;
  const before = ranks.slice(0, at).reduce((sum, rank) => sum + rank - middle, 0);
  const byStep = before ** 2 / at + before ** 2 / (n - at);
  const slope = ranks.reduce((sum, rank, i) => sum + (rank - middle) * (i - (n - 1) / 2), 0);
  const byLine = slope ** 2 / ((n * (n * n - 1)) / 12);
  return byStep > byLine;
}

function kindOf(demands: readonly number[], leftOut: number): HistoryKind {
  const trend = trendTest(demands);
  if (trend.p < riseDoubt) return trend.z > 0 ? 'growing' : 'falling';
  return leftOut > 0 ? 'changed' : 'stable';
}

function formatP(p: number): string {
  return p < 0.001 ? 'below 0.001' : `= ${p.toFixed(3)}`;
}
