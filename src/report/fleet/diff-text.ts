import { leastToProve } from '../../analysis/fleet/censored-rank-test.ts';
import {
  type Comparison,
  type DiffQuestion,
  type FleetDiff,
  filterWords,
  sideWords,
} from '../../analysis/fleet/fleet-diff.ts';
import { formatCount, formatRatio } from '../../analysis/format.ts';
import { formatShare } from '../../analysis/sizing/recommendation.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import { joinLines, type Line, table, wrap } from '../text-layout.ts';

interface Look {
  columns?: number;
  color?: boolean;
}

/** The answer of `headroom fleet diff` as text. */
export function renderFleetDiff(
  diff: FleetDiff,
  question: Pick<DiffQuestion, 'a' | 'b'>,
  { columns = 80, color = false }: Look = {},
): string {
  const { confidence, margin, inBoth, groups } = diff;
  const isAllInBoth = inBoth > 0 && diff.a.sessions + diff.b.sessions === 0;
  const lines: Line[] = isAllInBoth
    ? [{ text: 'Every session is in both groups: nothing to compare', tone: 'warning' }]
    : comparisonLines(diff, { confidence, margin, columns });
  lines.push(
    { text: '' },
    ...wrapped(`A: ${filterWords(question.a)}; B: ${filterWords(question.b)}.`, columns),
  );
  if (inBoth > 0 && !isAllInBoth) {
    lines.push(...wrapped(`${formatCount(inBoth, 'session')} in both: left out.`, columns));
  }
  for (const group of groups) {
    const name = group.value === null ? `without ${group.label}` : `${group.label}=${group.value}`;
    lines.push({ text: '' }, { text: name, tone: 'heading' });
    lines.push(...comparisonLines(group, { confidence, margin, columns }));
  }
  return joinLines(lines, { color });
}

interface Asked {
  confidence: number;
  margin: number;
  columns: number;
}

function comparisonLines(comparison: Comparison, asked: Asked): Line[] {
  const { a, b, p, moreLikely, warnings } = comparison;
  if (a.sessions === 0 || b.sessions === 0) {
    return [{ text: `No session of ${a.sessions === 0 ? 'A' : 'B'}: nothing to compare` }];
  }
  const bytes = (value: number | null) => (value === null ? 'limit' : formatBytes(value));
  const rows = [
    ['', 'sessions', 'met limit', 'peak p50', 'p95', 'max', 'OOM killed'],
    ...[a, b].map((side, at) => [
      at === 0 ? 'A' : 'B',
      String(side.sessions),
      String(side.censored),
      ...[side.peakBytes.p50, side.peakBytes.p95, side.peakBytes.max].map(bytes),
      formatRatio(side.oom.ratio),
    ]),
  ];
  const test = `Rank test with sessions that met their limit as lower bounds: p ${p < 0.001 ? 'below 0.001' : `= ${p.toFixed(3)}`}; a session of B needs more than one of A in ${formatRatio(moreLikely)} of pairs.`;
  return [
    headline(comparison, asked),
    ...wrapped(intervalWords(comparison, asked), asked.columns),
    { text: '' },
    ...table(rows).map((text) => ({ text })),
    ...wrapped(test, asked.columns),
    ...warnings.flatMap((warning) =>
      wrapped(warning, asked.columns).map(({ text }): Line => ({ text, tone: 'warning' })),
    ),
  ];
}

function headline(comparison: Comparison, { margin, confidence }: Asked): Line {
  switch (comparison.verdict) {
    case 'more':
      return { text: 'B needs more memory than A', tone: 'bad' };
    case 'less':
      return { text: 'B needs less memory than A', tone: 'good' };
    case 'same':
      return { text: `B needs as much as A, within ${formatShare(margin)}`, tone: 'good' };
    case 'unknown':
      return { text: `Cannot tell: ${missingWords(comparison, confidence)}`, tone: 'warning' };
  }
}

function missingWords({ sessionsMissing, a, b }: Comparison, confidence: number): string {
  if (sessionsMissing !== null)
    return `it takes about ${formatCount(sessionsMissing, 'more session')}`;
  const least = leastToProve(confidence);
  if (Math.min(a.sessions, b.sessions) < least) {
    return `too few sessions, compare at least ${least} in each group`;
  }
  const measured = [a, b].map(({ sessions, censored }) => sessions - censored);
  const fewest = Math.min(...measured);
  return fewest > 0 && fewest < least
    ? 'too few sessions that did not meet their limit'
    : 'more sessions like these do not help';
}

function intervalWords(
  { factor, verdict, a, b }: Comparison,
  { confidence, margin }: Asked,
): string {
  const { estimate, low, high } = factor;
  const about = estimate === null ? '' : `${change(estimate)}; `;
  const sure = `at ${formatShare(confidence)} confidence`;
  const between =
    low === null && high === null
      ? `${about}nothing bounds the difference ${sure} (A: ${sideWords(a)}; B: ${sideWords(b)})`
      : `${about}between ${low === null ? 'anything less' : change(low)} and ${high === null ? 'anything more' : change(high)} ${sure}`;
  const goal =
    verdict === 'unknown' && low !== null && high !== null
      ? `; with the sessions that are missing the interval would be as narrow as ± ${formatShare(margin)}`
      : '';
  return `${between}${goal}.`;
}

/** `12 % more`, `3 % less`, `as much` */
function change(factor: number): string {
  const percent = Math.abs(factor - 1) * 100;
  const digits = percent < 9.95 ? 1 : 0;
  if (Number(percent.toFixed(digits)) === 0) return 'as much';
  if (factor >= 10) return `${factor.toFixed(0)} times as much`;
  return `${percent.toFixed(digits)} % ${factor > 1 ? 'more' : 'less'}`;
}

function wrapped(text: string, columns: number): Line[] {
  return wrap(text, { columns, lead: '  ' }).map((line) => ({ text: line }));
}
