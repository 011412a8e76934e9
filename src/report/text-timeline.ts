import type { CurveReport } from '../analysis/curve.ts';
import { formatInstant } from '../analysis/format.ts';
import type { SessionReport } from '../analysis/session-report.ts';
import { formatBytes } from '../model/format-bytes.ts';
import { type Line, wrap } from './text-layout.ts';

const chartRows = 8;

/** What happened, by time of day (UTC), below a picture of memory against its limit. */
export function timelineLines(report: SessionReport, columns: number): Line[] {
  if (report.timeline.length === 0) return [];
  const entries = report.timeline.flatMap(({ timeUnixMs, text }) =>
    wrap(text, { columns, lead: `  ${timeOf(timeUnixMs)}  ` }),
  );
  const chart = report.curve === null ? [] : chartLines(report.curve);
  return [
    { text: 'Timeline (UTC)', tone: 'heading' },
    ...[...chart.map((line) => `  ${line}`), ...entries].map((text): Line => ({ text })),
  ];
}

/** The working set against its limit: rows of signs, the limit at the top, time to the right. */
export function chartLines({
  fromUnixMs,
  toUnixMs,
  limitBytes,
  workingSetBytes,
}: CurveReport): string[] {
  const width = workingSetBytes.length;
  const top = Math.max(limitBytes, ...workingSetBytes.map((bytes) => bytes ?? 0));
  const label = formatBytes(limitBytes);
  const margin = ' '.repeat(label.length);
  const rows = Array.from({ length: chartRows }, (_, row) => {
    const level = (chartRows - row - 1) / chartRows;
    const signs = workingSetBytes.map((bytes) => sign(bytes === null ? null : bytes / top, level));
    return `${row === 0 ? label : margin} │${signs.join('')}`;
  });
  const from = timeOf(fromUnixMs);
  const to = timeOf(toUnixMs);
  const axis = `${margin} └${'─'.repeat(width)}`;
  const times = `${margin}  ${from}${to.padStart(width - from.length)}`;
  return [...rows, axis, times];
}

/** Of a column in the row that begins at `level`, both as shares of the height. */
function sign(ratio: number | null, level: number): string {
  if (ratio === null) return ' ';
  const filled = (ratio - level) * chartRows;
  if (filled >= 0.75) return '█';
  return filled >= 0.25 ? '▄' : '·';
}

function timeOf(unixMs: number): string {
  return formatInstant(unixMs).slice(11, 19) || 'unknown ';
}
