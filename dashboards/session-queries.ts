import { is, role, select } from './promql.ts';

// `max` over the series everywhere: a session that is both pushed and scraped has each of them twice.
const ofSession = is('session.id', '$session');

type OverStep = 'max_over_time' | 'min_over_time';
type OverRange = OverStep | 'last_over_time';

/** Of the session in the variable, over time: the highest in each step, so that no peak is lost. */
export function highest(metric: string, ...matchers: string[]): string {
  return `max(max_over_time(${select(metric, ofSession, ...matchers)}[$__interval]))`;
}

/** The lowest in each step. */
export function lowest(metric: string, ...matchers: string[]): string {
  return `min(min_over_time(${select(metric, ofSession, ...matchers)}[$__interval]))`;
}

/** The highest in each step, for each value of a label. */
export function highestPer(label: string, metric: string, ...matchers: string[]): string {
  return `max by (${label}) (max_over_time(${select(metric, ofSession, ...matchers)}[$__interval]))`;
}

/** How fast a counter grows in a second, for each value of these labels. */
export function ratePer(labels: readonly string[], metric: string, ...matchers: string[]): string {
  const counter = select(metric, ofSession, ...matchers);
  return `max by (${labels.join(', ')}) (rate(${counter}[$__rate_interval]))`;
}

/** One figure of the whole time range. */
export function overall(over: OverRange, metric: string, ...matchers: string[]): string {
  const outer = over === 'min_over_time' ? 'min' : 'max';
  return `${outer}(${over}(${select(metric, ofSession, ...matchers)}[$__range]))`;
}

/** One figure of the whole time range, for each value of these labels. */
export function overallPer(
  labels: readonly string[],
  over: OverRange,
  metric: string,
  ...matchers: string[]
): string {
  return `max by (${labels.join(', ')}) (${over}(${select(metric, ofSession, ...matchers)}[$__range]))`;
}

/** The same for each role. */
export function overallPerRole(over: OverRange, metric: string, ...matchers: string[]): string {
  return overallPer([role], over, metric, ...matchers);
}

/** Matchers of a percentile gauge of the finished session. */
export function ofWholeSession(stat: string): [string, string] {
  return [is('headroom.rollup.stat', stat), is('headroom.rollup.window', 'session')];
}

/** What is left of the limit, as a share, at the worst moment of the time range. */
export const lowestLeft = `${overall('min_over_time', 'headroom.memory.available')} / ${overall('max_over_time', 'headroom.memory.limit')}`;

/** Processes of the browser that the kernel killed. The counter begins at 0: its highest is the number. */
export const oomVictims = `sum(${overallPerRole('max_over_time', 'headroom.oom.victims')})`;

/** Of the finished session what the report says; while it runs, of the samples so far. */
export const workingSetP95 = `${overall('last_over_time', 'headroom.rollup.memory.working_set', ...ofWholeSession('p95'))} or max(quantile_over_time(0.95, ${select('headroom.memory.working_set', ofSession)}[$__range]))`;

/** How fast memory grows in a second, by a straight line through the last minute. */
export function growth(metric: string, labels: readonly string[]): string {
  return `max by (${labels.join(', ')}) (deriv(${select(metric, ofSession)}[1m]))`;
}

/** The most that {@link growth} was in the time range. */
export function fastestGrowth(metric: string, labels: readonly string[]): string {
  return `max by (${labels.join(', ')}) (max_over_time(deriv(${select(metric, ofSession)}[1m])[$__range:15s]))`;
}
