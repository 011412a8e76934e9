import type { Table } from './collector-tables.ts';
import { round } from './figures.ts';
import type { AmountResult, TrialsResult } from './sizing-trials.ts';

/** What was promised, and how often it was true. */
export function promiseTable(length: number, results: readonly TrialsResult[]): Table {
  const rows = results.map((result) => [
    result.workload,
    percent(Math.min(...result.boundsKept), result.trials),
    percent(result.proven.count, result.trials),
    percent(result.proven.kept, result.proven.count),
    percent(result.changed, result.trials),
    percent(result.growing, result.trials),
  ]);
  const head = [
    'workload',
    'bounds of a tier true, worst tier',
    'a tier proven',
    'and it fits 99 %',
    'older left out',
    'growing, no promise',
  ];
  return { title: `${length} sessions: promises`, rows: [head, ...rows] };
}

/** Of each rule: how often its amount fits 99 % of the next sessions, and how much that is. */
export function amountTable(length: number, results: readonly TrialsResult[]): Table {
  const head = ['workload', 'exact bound', 'estimate', 'VPA', 'maximum + 20 %'];
  const rows = results.map(({ workload, trials, amounts }) => [
    workload,
    ...[amounts.bound, amounts.estimate, amounts.vpa, amounts.maximum].map((amount) =>
      amountWords(amount, trials),
    ),
  ]);
  const title = `${length} sessions: kept in so many trials, at so many times the mean demand`;
  return { title, rows: [head, ...rows] };
}

/**
 * What each rule takes when it is to keep the promise in all of the workloads that do not change: times
 * the one factor with which it keeps it in as many trials as was asked, in the worst of them.
 */
export function sameCoverageTable(
  length: number,
  results: readonly TrialsResult[],
  confidence: number,
): Table {
  const judged = results.filter(
    ({ isExchangeable, amounts }) => isExchangeable && amounts.bound.count > 0,
  );
  const factor = (rule: 'vpa' | 'maximum') =>
    Math.max(...judged.map(({ amounts }) => quantile(amounts[rule].factors, confidence)));
  const [vpa, maximum] = [factor('vpa'), factor('maximum')];
  const rows = judged.map(({ workload, amounts }) => [
    workload,
    `${round(amounts.bound.timesMean / amounts.bound.count)} ×`,
    `${round((vpa * amounts.vpa.timesMean) / amounts.vpa.count)} ×`,
    `${round((maximum * amounts.maximum.timesMean) / amounts.maximum.count)} ×`,
  ]);
  const head = [
    'workload',
    'exact bound',
    `VPA × ${round(vpa)}`,
    `maximum + 20 %, × ${round(maximum)}`,
  ];
  const title = `${length} sessions: memory, times the mean demand, with one factor that keeps the promise in all of these`;
  return { title, rows: [head, ...rows] };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}

function amountWords({ count, kept, timesMean }: AmountResult, trials: number): string {
  if (count === 0) return '-';
  const often = count === trials ? '' : ` (of ${percent(count, trials)})`;
  return `${percent(kept, count)}${often} at ${round(timesMean / count)} ×`;
}

function percent(part: number, whole: number): string {
  if (whole === 0) return '-';
  const value = (100 * part) / whole;
  return `${value > 90 && value < 100 ? value.toFixed(1) : value.toFixed(0)} %`;
}
