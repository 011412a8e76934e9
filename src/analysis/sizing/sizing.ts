import type { PeakSource } from '../memory.ts';
import { type Percentiles, percentilesOverSessions } from '../percentiles.ts';
import { hitsNeeded } from './clopper-pearson.ts';
import { currentPart, demandsOf, type History } from './history.ts';
import { type Recommendation, recommend } from './recommendation.ts';
import type { SessionDemand } from './session-demand.ts';
import { tailEstimate } from './tail-estimate.ts';
import { type TierFit, tellingSessions, tierFit } from './tier-fit.ts';
import { raisedToNow } from './trend-removed.ts';

export interface SizingQuestion {
  /** Sizes that can be had, bytes. */
  tiers: readonly number[];
  /** The share of sessions that is to fit, 0 to 1. */
  fitRatio: number;
  /** How sure that is to be, 0 to 1. */
  confidence: number;
}

/** What a number of sessions says of the tier that they need. Fields are only added. */
export interface Sizing {
  /** Those that are judged. */
  sessions: number;
  /** Of these, how many met their limit: what they needed is not known. */
  censored: number;
  /** The largest that was seen of a censored session: it needed more. Null: there is none. */
  censoredAtLeastBytes: number | null;
  /** Of these, how many were cut off by a lost recorder: judged by what was seen. */
  cutOff: number;
  /** Of these, how many still grew when their recording ended. */
  growing: number;
  /** Of how many that is not known; those that met their limit are not in it. */
  growthUnknown: number;
  /** Over sessions, a censored one above all others; null: that is a censored one, or there is none. */
  demandBytes: Percentiles;
  demandSources: Record<PeakSource, number>;
  recommendation: Recommendation;
  tiers: TierFit[];
  /** The demand that the asked share stays below at the asked confidence, whatever the distribution. */
  boundBytes: number | null;
  estimate: TierEstimate | null;
  history: History;
  /** On smaller limits than most, where one that met its limit says nothing: not judged. */
  onSmallerLimits: number;
}

/**
 * What a model expects, and nothing proves: demand is lognormal, or grows evenly and ends growing now, or
 * both.
 */
export interface TierEstimate {
  model: 'lognormal' | 'lognormal, trend removed' | 'trend removed';
  bytes: number;
  /** The smallest tier of which so much is usable; null: none. */
  tierBytes: number | null;
}

/** Answers the question from the demands of sessions, in any order. */
export function sizing(sessions: readonly SessionDemand[], question: SizingQuestion): Sizing {
  const telling = tellingSessions(sessions, question);
  const { kept: judged, history } = currentPart(telling);
  const tiers = question.tiers
    .toSorted((a, b) => a - b)
    .map((bytes) => tierFit(bytes, judged, { confidence: question.confidence, history }));
  const censored = judged.filter(({ isCensored }) => isCensored);
  const estimate = estimateOf(judged, { question, tiers, history });
  return {
    sessions: judged.length,
    censored: censored.length,
    censoredAtLeastBytes:
      censored.length === 0 ? null : Math.max(...censored.map(({ demandBytes }) => demandBytes)),
    cutOff: judged.filter(({ isCutOff }) => isCutOff).length,
    growing: judged.filter(({ growth }) => (growth?.bytesPerMinute ?? 0) > 0).length,
    growthUnknown: judged.filter(({ isCensored, growth }) => !isCensored && growth === null).length,
    demandBytes: percentilesOverSessions(measured(judged), judged.length),
    demandSources: sources(judged),
    recommendation: recommend(judged, { question, tiers, history, estimate }),
    tiers,
    boundBytes: history.kind === 'growing' ? null : bound(judged, question),
    estimate,
    history,
    onSmallerLimits: sessions.length - telling.length,
  };
}

/** Measured demands, lowest first; behind them the censored ones, which are above. */
function measured(sessions: readonly SessionDemand[]): number[] {
  return sessions
    .filter(({ isCensored }) => !isCensored)
    .map(({ demandBytes }) => demandBytes)
    .sort((a, b) => a - b);
}

function bound(
  sessions: readonly SessionDemand[],
  { fitRatio, confidence }: SizingQuestion,
): number | null {
  const rank = hitsNeeded(sessions.length, fitRatio, confidence);
  return rank === null ? null : (measured(sessions)[rank - 1] ?? null);
}

function sources(sessions: readonly SessionDemand[]): Record<PeakSource, number> {
  const counts = { 'memory.peak': 0, max_usage_in_bytes: 0, samples: 0 };
  for (const { source } of sessions) counts[source]++;
  return counts;
}

function estimateOf(
  sessions: readonly SessionDemand[],
  { question, tiers, history }: { question: SizingQuestion; tiers: TierFit[]; history: History },
): TierEstimate | null {
  const found =
    history.kind === 'growing' ? ofTrend(sessions, question) : ofModel(sessions, question);
  if (found === null) return null;
  const tier = tiers.find(({ usableBytes }) => found.bytes <= usableBytes);
  return { ...found, tierBytes: tier?.bytes ?? null };
}

type Estimate = Pick<TierEstimate, 'model' | 'bytes'>;

/** Where something is proven, nobody needs a guess beside it. */
function ofModel(sessions: readonly SessionDemand[], question: SizingQuestion): Estimate | null {
  if (bound(sessions, question) !== null) return null;
  const demands = measured(sessions);
  const bytes = tailEstimate(demands, sessions.length - demands.length, question);
  // What was seen may be seen again, whatever the model says.
  return bytes === null
    ? null
    : { model: 'lognormal', bytes: Math.max(bytes, demands.at(-1) ?? 0) };
}

/** A censored session counts as what was seen, as all of them are raised together. */
function ofTrend(sessions: readonly SessionDemand[], question: SizingQuestion): Estimate | null {
  const raised = raisedToNow(demandsOf(sessions), question.confidence).sort((a, b) => a - b);
  const rank = hitsNeeded(raised.length, question.fitRatio, question.confidence);
  const largest = raised.at(rank === null ? -1 : rank - 1) ?? 0;
  if (rank !== null) return { model: 'trend removed', bytes: Math.round(largest) };
  const bytes = tailEstimate(raised, 0, question);
  if (bytes === null) return null;
  return { model: 'lognormal, trend removed', bytes: Math.round(Math.max(bytes, largest)) };
}
