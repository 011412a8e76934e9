import type { FleetReport } from '../../analysis/fleet/fleet-report.ts';
import type { FleetFigures } from '../../analysis/fleet/fleet-sum.ts';
import { formatCount, formatDuration, formatInstant, formatRatio } from '../../analysis/format.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import { shortened } from '../shortened.ts';
import { joinLines, type Line, table, wrap } from '../text-layout.ts';

// One long value would make every line as long.
const longest = 40;

/** The answer of `headroom fleet report` as text: a line for the whole fleet, and one for each group. */
export function renderFleetReport(
  report: FleetReport,
  { columns = 80, color = false }: { columns?: number; color?: boolean } = {},
): string {
  if (report.sessions === 0) return joinLines([{ text: 'No session matches' }], { color });
  const lines: Line[] = [
    { text: headline(report), tone: 'heading' },
    ...wrapped(verdictWords(report), columns),
    { text: '' },
    ...figureLines([['all', report]]),
  ];
  for (const label of new Set(report.groups.map((group) => group.label))) {
    const groups = report.groups.filter((group) => group.label === label);
    lines.push({ text: '' }, { text: `By ${label}`, tone: 'heading' });
    const named = groups.map((group): [string, FleetFigures] => [
      shortened(group.value ?? '(none)', longest),
      group,
    ]);
    lines.push(...figureLines(named));
  }
  lines.push({ text: '' });
  const note =
    'Peak: of the working set, over sessions; one that met its limit is above all others. In use: share of the limit, over time. OOM killed: share of sessions, at 95 % confidence.';
  lines.push(...wrapped(note, columns).map(({ text }): Line => ({ text, tone: 'faint' })));
  return joinLines(lines, { color });
}

function headline({ sessions, recordedMs, firstUnixMs, lastUnixMs }: FleetReport): string {
  const day = (unixMs: number | null) => formatInstant(unixMs).slice(0, 10);
  const [from, to] = [day(firstUnixMs), day(lastUnixMs)];
  const when = from === to ? from : `${from} to ${to}`;
  return `${formatCount(sessions, 'session')}, ${when}, ${formatDuration(recordedMs)} recorded`;
}

function verdictWords({ verdicts, gaps, growing }: FleetFigures): string {
  const told = Object.entries(verdicts).map(([kind, count]) => `${count} ${kind}`);
  const missing =
    gaps.count === 0
      ? 'no gaps'
      : `${formatCount(gaps.count, 'gap')} in ${formatCount(gaps.sessions, 'session')} (${formatRatio(gaps.ratio)} of the time)`;
  const grew = growing > 0 ? [`${growing} still grew at the end`] : [];
  return [...told, missing, ...grew].join(', ');
}

function figureLines(rows: readonly [string, FleetFigures][]): Line[] {
  const head = ['', 'sessions', 'peak p50', 'p95', 'max', 'in use p95', 'OOM killed', 'gaps'];
  // Where there is none the line is long enough without.
  const hasGrowing = rows.some(([, { growing }]) => growing > 0);
  if (hasGrowing) head.push('growing');
  const lines = rows.map(([name, figures]) => [
    name,
    ...cells(figures),
    ...(hasGrowing ? [String(figures.growing)] : []),
  ]);
  return table([head, ...lines]).map((text) => ({ text }));
}

function cells({ sessions, peakBytes, utilizationRatio, oom, gaps }: FleetFigures): string[] {
  const peak = (bytes: number | null) => (bytes === null ? 'limit' : formatBytes(bytes));
  return [
    String(sessions),
    ...[peakBytes.p50, peakBytes.p95, peakBytes.max].map(peak),
    formatRatio(utilizationRatio.p95),
    oom.sessions === 0
      ? `0 (≤ ${formatRatio(oom.high)})`
      : `${formatRatio(oom.ratio)} (${range(oom.low, oom.high)})`,
    gaps.count === 0 ? '0' : `${gaps.count} (${formatRatio(gaps.ratio)})`,
  ];
}

/** `0.6–81 %` */
function range(low: number | null, high: number | null): string {
  return `${formatRatio(low).replace(' %', '')}–${formatRatio(high)}`;
}

function wrapped(text: string, columns: number): Line[] {
  return wrap(text, { columns, lead: '  ' }).map((line) => ({ text: line }));
}
