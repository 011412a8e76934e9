import { formatCount } from '../analysis/format.ts';
import { formatBound, formatShare, formatTier } from '../analysis/sizing/recommendation.ts';
import type { SizeReport } from '../analysis/sizing/size.ts';
import type { Sizing } from '../analysis/sizing/sizing.ts';
import { formatBytes } from '../model/format-bytes.ts';
import { joinLines, type Line, table, wrap } from './text-layout.ts';

/** The answer of `headroom size` as text: what to take, and what the data supports. */
export function renderSizeText(
  report: SizeReport,
  { columns = 80, color = false }: { columns?: number; color?: boolean } = {},
): string {
  const lines = [...headLines(report, columns), ...sizingLines(report, columns)];
  for (const group of report.groups) {
    const name = group.value === null ? `without ${group.label}` : `${group.label}=${group.value}`;
    lines.push({ text: '' }, { text: name, tone: 'heading' });
    lines.push(...headLines(group, columns), ...sizingLines(group, columns));
  }
  return joinLines(lines, { color });
}

function headLines({ recommendation }: Sizing, columns: number): Line[] {
  const { tierBytes, reachable, onlyForThisLength, reason, fitRatio } = recommendation;
  const share = formatShare(fitRatio);
  const tier = formatTier(tierBytes);
  const [text, tone] =
    tierBytes === null
      ? (['No tier to recommend', 'bad'] as const)
      : reachable
        ? onlyForThisLength
          ? ([`${tier} fits ${share} of sessions as long as these`, 'warning'] as const)
          : ([`${tier} fits ${share} of such sessions`, 'good'] as const)
        : ([`${tier} for now; ${share} is not proven`, 'warning'] as const);
  return [{ text, tone }, ...prose([reason], columns)];
}

function sizingLines(result: Sizing, columns: number): Line[] {
  if (result.sessions === 0) return [];
  return [
    ...demandLines(result, columns),
    ...tierLines(result, columns),
    ...estimateLines(result, columns),
    ...historyLines(result, columns),
  ];
}

function demandLines(result: Sizing, columns: number): Line[] {
  const { demandBytes: demand, sessions, censored, cutOff, growing, growthUnknown } = result;
  const known = (bytes: number | null) => (bytes === null ? 'not known' : formatBytes(bytes));
  const rows = table([
    ['', 'p50', 'p90', 'p95', 'p99', 'max'],
    ['demand', ...[demand.p50, demand.p90, demand.p95, demand.p99, demand.max].map(known)],
  ]);
  const notes = [
    `Peak working set: shared memory and tmpfs are in it, file cache that can be dropped is not. ${sourceWords(result)}`,
  ];
  if (censored > 0) {
    notes.push(
      `${formatCount(censored, 'session')} met the limit; the largest was seen at ${formatBytes(result.censoredAtLeastBytes)} and needed more.`,
    );
  }
  if (cutOff > 0) {
    notes.push(
      `${formatCount(cutOff, 'recording')} broke off: judged by what was seen up to there.`,
    );
  }
  if (growing > 0) {
    notes.push(
      `${formatCount(growing, 'session')} still grew when the recording ended: judged by what was seen up to there.`,
    );
  }
  if (growthUnknown > 0) {
    notes.push(
      `Whether it still grew is not known of ${formatCount(growthUnknown, 'session')}: shorter than a minute or with gaps, without running into the limit at the end; or imported by an earlier version.`,
    );
  }
  return [
    { text: '' },
    { text: `Demand of ${formatCount(sessions, 'session')}`, tone: 'heading' },
    ...rows.map((text) => ({ text })),
    ...prose(notes, columns),
  ];
}

function sourceWords({ demandSources, sessions }: Sizing): string {
  const { samples } = demandSources;
  const marked = sessions - samples;
  if (marked === 0) return 'Of all sessions it is the largest sample.';
  if (samples === 0) return 'Of all sessions by the mark of the kernel.';
  return `Of ${marked} by the mark of the kernel, of ${samples} the largest sample.`;
}

function tierLines({ tiers, sessions, recommendation, history }: Sizing, columns: number): Line[] {
  const hasOutgrowing = tiers.some(({ sessionsOutgrowing }) => sessionsOutgrowing > 0);
  const head = ['', 'usable', 'fit', 'of all, at least', 'too large for it', 'not known'];
  if (hasOutgrowing) head.splice(3, 0, 'not for long');
  const rows = tiers.map((tier) => [
    formatTier(tier.bytes),
    formatBytes(tier.usableBytes),
    `${tier.sessionsFit} of ${sessions}`,
    ...(hasOutgrowing ? [String(tier.sessionsOutgrowing)] : []),
    history.kind === 'growing' ? 'no promise' : formatBound(tier.fitLowerBound),
    String(tier.wouldHaveOomed),
    String(tier.unknown),
  ]);
  const note = `At least: the exact lower bound at ${formatShare(recommendation.confidence)} confidence, as long as the next sessions are like these. Usable: what the system leaves, less a reserve.`;
  return [
    { text: '' },
    { text: 'Tiers', tone: 'heading' },
    ...table([head, ...rows]).map((text) => ({ text })),
    ...prose([note], columns, 'faint'),
  ];
}

const modelWords = {
  lognormal: 'If demand is lognormal,',
  'lognormal, trend removed': 'If demand is lognormal, grew evenly and grows no more,',
  'trend removed': 'If demand grew evenly and grows no more,',
} as const;

function estimateLines({ estimate, recommendation }: Sizing, columns: number): Line[] {
  if (estimate === null) return [];
  const tier =
    estimate.tierBytes === null
      ? 'more than any of these tiers'
      : `a tier of ${formatTier(estimate.tierBytes)}`;
  const text = `${modelWords[estimate.model]} ${formatShare(recommendation.fitRatio)} of sessions stay below ${formatBytes(estimate.bytes)}: ${tier}.`;
  return [
    { text: '' },
    { text: 'Estimate, not proven', tone: 'heading' },
    ...prose([text], columns),
  ];
}

function historyLines({ history, onSmallerLimits, sessions }: Sizing, columns: number): Line[] {
  const notes = [...history.findings];
  if (history.kind === 'stable') {
    notes.push(
      `No trend (Mann–Kendall, p = ${(history.trendP ?? 1).toFixed(2)}) and no change (Pettitt, p = ${(history.changeP ?? 1).toFixed(2)}) was found.`,
    );
  }
  if (history.visibleRiseRatio !== null) {
    const percent = Math.max(1, Math.ceil(history.visibleRiseRatio * 100));
    notes.push(
      `Had demand risen evenly by ${percent} % over these ${sessions} sessions, the test would have found it in 9 of 10 histories like this; less may have gone unseen.`,
    );
  }
  if (onSmallerLimits > 0) {
    notes.push(
      `${formatCount(onSmallerLimits, 'session')} on smaller limits left out: one that met such a limit says nothing of a larger tier, and there are enough without.`,
    );
  }
  return [{ text: '' }, { text: 'History', tone: 'heading' }, ...prose(notes, columns)];
}

function prose(texts: readonly string[], columns: number, tone?: Line['tone']): Line[] {
  return texts
    .flatMap((text) => wrap(text, { columns, lead: '  ' }))
    .map((text) => (tone === undefined ? { text } : { text, tone }));
}
