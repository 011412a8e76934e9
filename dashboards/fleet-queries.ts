import { is, matches, provider, role, select, session, tier } from './promql.ts';

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

/** A figure of each session, looked at once a minute: of counters and of what hardly changes. */
export function minutelyOfEach(metric: string): string {
  return `${perSession} (max_over_time(${ofFleet(metric)}[$__range:1m]))`;
}

/** Kills of each session's browser; every session is in it, with 0 when there were none. */
export const killsOfEach = `sum by (${session}, ${tier}, ${provider}) (max by (${session}, ${tier}, ${provider}, ${role}) (max_over_time(${ofFleet('headroom.oom.victims')}[$__range:1m])))`;

export const sessionsPerTier = `count by (${tier}) (${minutelyOfEach('headroom.memory.limit')})`;
export const killedPerTier = `sum by (${tier}) (${killsOfEach} > bool 0)`;

/** A quantile over the sessions of a tier of what each needed at most. */
export function quantileOfNeeds(quantile: number): string {
  return `quantile by (${tier}) (${quantile}, ${highestOfEach('headroom.rollup.memory.working_set')})`;
}
