import { formatDuration, formatRatio } from '../analysis/format.ts';
import type { SessionReport } from '../analysis/session-report.ts';
import { formatBytes } from '../model/format-bytes.ts';
import { bar, type Line, table, wrap } from './text-layout.ts';

const limitWords = {
  machine: 'all of the machine',
  cgroup_v1: 'memory cgroup v1',
  cgroup_v2: 'memory cgroup v2',
} as const;

const cacheNote =
  'Working set is charged memory less inactive file cache; available counts more cache as free: the two need not add up to the limit.';

/** Memory of the session against its limit. */
export function memoryLines({ memory, pressure, reclaim }: SessionReport, columns: number): Line[] {
  const { limitBytes, limitSource, workingSetBytes: used, availableBytes: free } = memory;
  const rows = table([
    ['', 'p50', 'p90', 'p95', 'p99', 'max'],
    ['working set', ...[used.p50, used.p90, used.p95, used.p99, used.max].map(formatBytes)],
  ]);
  const low = `available: lowest ${formatBytes(free.min)} (${formatRatio(memory.headroomMinRatio)} of the limit), p1 ${formatBytes(free.p1)}, p50 ${formatBytes(free.p50)}`;
  return [
    { text: 'Memory', tone: 'heading' },
    {
      text: `  limit ${limitBytes === null ? 'unknown' : `${formatBytes(limitBytes)} (${limitWords[limitSource]})`}`,
    },
    ...barLines(used, limitBytes, columns),
    ...rows.map((text) => ({ text })),
    ...[low, peakWords(memory.peakBytes), ...stallWords(pressure), ...reclaimWords(reclaim)]
      .flatMap((text) => wrap(text, { columns, lead: '  ' }))
      .map((text) => ({ text })),
    ...wrap(cacheNote, { columns, lead: '  ' }).map((text): Line => ({ text, tone: 'faint' })),
  ];
}

function barLines(
  used: SessionReport['memory']['workingSetBytes'],
  limitBytes: number | null,
  columns: number,
): Line[] {
  if (used.p50 === null || used.max === null || limitBytes === null) return [];
  const usual = used.p50 / limitBytes;
  const most = used.max / limitBytes;
  const caption = ` ${formatRatio(most)} at most`;
  const width = columns - 4 - caption.length;
  return [
    { text: `  [${bar({ usual, most }, width)}]${caption}` },
    { text: '  █ half of the time or more  ▒ at most  · never used', tone: 'faint' },
  ];
}

function peakWords({ value, source, beforeStart }: SessionReport['memory']['peakBytes']): string {
  if (source === null) return 'peak: unknown';
  if (source === 'samples') return `peak: ${formatBytes(value)}, the largest sample`;
  const when = beforeStart === true ? ', reached before the recording' : '';
  return `peak: ${formatBytes(value)} by the kernel's own mark (${source}), file cache included${when}`;
}

// A recording of less than 10 s has a share of what there is; one sample has none.
function stallWords(pressure: SessionReport['pressure']): string[] {
  const { memoryFullRatioMax: ratio, memoryFullMs, coveredMs } = pressure;
  const what = 'processes waiting for memory (PSI full):';
  if (ratio !== null) {
    const share = (ms: number | null) => (ms === null || !coveredMs ? null : ms / coveredMs);
    const time = `${formatRatio(share(memoryFullMs))} of the time, at least one of them ${formatRatio(share(pressure.memorySomeMs))}`;
    return [`${what} at most ${formatRatio(ratio)} of 10 s, ${time}`];
  }
  if (coveredMs === null) return [`${what} unknown`];
  if (coveredMs === 0 || memoryFullMs === null) return [];
  return [`${what} ${formatRatio(memoryFullMs / coveredMs)} over ${formatDuration(coveredMs)}`];
}

// Counted on the whole machine; a machine that reclaims nothing is not worth a line.
function reclaimWords(reclaim: SessionReport['reclaim']): string[] {
  const { refaultCount, refaultsPerSecondMax, directReclaimCount, reclaimedBytes } = reclaim;
  if (!refaultCount && !directReclaimCount) return [];
  const parts = [
    `${refaultCount ?? 'unknown'} file pages read back (at most ${refaultsPerSecondMax ?? 'unknown'} a second)`,
    `${directReclaimCount ?? 'unknown'} waits for reclaim`,
    `${formatBytes(reclaimedBytes)} reclaimed`,
  ];
  return [`on this machine: ${parts.join(', ')}`];
}
