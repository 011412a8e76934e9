import type { FleetTop, TopOrder, TopSession } from '../../analysis/fleet/fleet-top.ts';
import { formatCount, formatInstant } from '../../analysis/format.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import { shellQuote } from '../shell-quote.ts';
import { shortened } from '../shortened.ts';
import { joinLines, type Line, wrap } from '../text-layout.ts';

const longest = 80;

const lacking: Readonly<Record<TopOrder, string>> = {
  memory: 'is known',
  peak: 'is known',
  oom: 'had an OOM kill',
  growth: 'still grew when its recording ended',
  gaps: 'has a gap',
};

/** The answer of `headroom fleet top` as text: some lines for each session, its recording the last. */
export function renderFleetTop(
  top: FleetTop,
  { columns = 80, color = false }: { columns?: number; color?: boolean } = {},
): string {
  const lines: Line[] = [{ text: headline(top), tone: 'heading' }];
  top.sessions.forEach((session, at) => {
    lines.push({ text: '' }, headOf(session, at + 1), ...detailsOf(session, columns));
  });
  return joinLines(lines, { color });
}

function headline({ of, order, sessions }: FleetTop): string {
  if (of === 0) return 'No session matches';
  if (sessions.length === 0) return `None of ${formatCount(of, 'session')} ${lacking[order]}`;
  return `The worst ${sessions.length} of ${formatCount(of, 'session')}`;
}

function headOf(session: TopSession, rank: number): Line {
  const { verdict, demandBytes, limitBytes, isCensored } = session;
  const least = isCensored ? 'at least ' : '';
  const text = `${rank}. ${verdict}: ${least}${formatBytes(demandBytes)} of ${formatBytes(limitBytes)}`;
  const isGood = verdict === 'healthy' || verdict === 'unknown';
  return isGood ? { text } : { text, tone: verdict === 'pressure' ? 'warning' : 'bad' };
}

function detailsOf(session: TopSession, columns: number): Line[] {
  const { labels, version, tier, startedUnixMs, summary, gapCount, oomKillCount, growth } = session;
  const known = Object.entries(version === null ? labels : { version, ...labels });
  const facts = [
    `headroom down to ${formatBytes(session.headroomMinBytes)}`,
    ...(oomKillCount > 0 ? [formatCount(oomKillCount, 'OOM kill')] : []),
    ...growthWords(growth),
    ...(gapCount > 0 ? [formatCount(gapCount, 'gap')] : []),
    `tier ${tier}`,
    formatInstant(startedUnixMs),
    ...known.map(([label, value]) => `${shortened(label, longest)}=${shortened(value, longest)}`),
  ];
  const told = [facts.join(', '), ...(summary === null ? [] : [summary])];
  return [
    ...told.flatMap((text) => wrap(text, { columns, lead: '   ' })),
    // Whole, so that it can be copied.
    `   ${whereIs(session)}`,
  ].map((text) => ({ text }));
}

function whereIs({ file, isFileThere }: TopSession): string {
  if (file === null) return 'its recording is gone: another one has its name';
  const name = shellQuote(file);
  return isFileThere ? `headroom report ${name}` : `its recording is gone, which was ${name}`;
}

function growthWords(growth: TopSession['growth']): string[] {
  if (growth === null || growth.bytesPerMinute === 0) return [];
  return [`still growing by ${formatBytes(growth.bytesPerMinute)} a minute at its end`];
}
