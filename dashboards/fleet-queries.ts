import { is, matches, provider, select, selectBuckets, session, tier } from './promql.ts';

const chosen = [matches('headroom.provider', '$provider'), matches('headroom.tier', '$tier')];
const perSession = `max by (${session}, ${tier}, ${provider})`;

/** Series of the chosen sessions. */
export function ofFleet(metric: string, ...matchers: string[]): string {
  return select(metric, ...chosen, ...matchers);
}

/**
 * The highest of each session in the time range, from the maxima of its minutes and of the whole
 * session: a sixtieth of the points of the samples themselves, and as exact.
 */
export function highestOfEach(rollup: string): string {
  return `${perSession} (max_over_time(${ofFleet(rollup, is('headroom.rollup.stat', 'max'))}[$__range]))`;
}

/** The largest working set of each session. */
export const needsOfEach = highestOfEach('headroom.rollup.memory.working_set');

const victims = ofFleet('headroom.session.oom.victims');

/** Kills of each session's browser; every session that had one is in it, with 0 when there were none. */
export const killsOfEach = `${perSession} (max_over_time(${victims}[$__range]))`;

const inStep = `max_over_time(${victims}[$__interval])`;
const firstInStep = `min_over_time(${victims}[$__interval])`;
const beforeStep = `${victims} offset $__interval`;
const perTier = (kills: string) => `sum by (${tier}) (max by (${session}, ${tier}) (${kills}))`;
const killsOfKnown = perTier(`${inStep} - (${beforeStep})`);
const killsOfNew = perTier(`(${inStep} - ${firstInStep}) unless ${beforeStep}`);

/**
 * Kills of browsers' processes in each step, by tier: the highest of the counter less what it was
 * before the step, or the lowest in it, which is 0 when the session is new. `increase` would make
 * fractions of them; `or` is for the tiers only, as VictoriaMetrics takes a minute for it with some
 * thousand series.
 */
export const killsInStep = `(${killsOfKnown} or 0 * ${killsOfNew}) + (${killsOfNew} or 0 * ${killsOfKnown})`;

export const sessionsPerTier = `count by (${tier}) (${needsOfEach})`;
export const killedPerTier = `sum by (${tier}) (${killsOfEach} > bool 0)`;

const utilizationBuckets = selectBuckets('headroom.distribution.memory.utilization', ...chosen);

/** Of all the time of all sessions of a tier: the share of the limit that was in use at most in so much of it. */
export function quantileOfTime(quantile: number): string {
  const ofEach = `max by (${session}, ${tier}, le) (max_over_time(${utilizationBuckets}[$__range]))`;
  return `histogram_quantile(${quantile}, sum by (${tier}, le) (${ofEach}))`;
}

/** How much time of the sessions went into each bucket of utilization. */
export const timeByUtilization = `sum by (le) (rate(${utilizationBuckets}[$__rate_interval]))`;

/** A quantile over the sessions of a tier of what each needed at most. */
export function quantileOfNeeds(quantile: number): string {
  return `quantile by (${tier}) (${quantile}, ${needsOfEach})`;
}
