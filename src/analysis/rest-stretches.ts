import type { ProcessRecord } from '../model/recording.ts';
import type { GroupStretch } from './group-memory.ts';
import type { PageStretch } from './page-stretches.ts';

export const restGroup = 'no page';

// As long as a page may take to be found among many.
const neverPlacedMs = 30_000;
// A page that moves is in no process until it is found again.
const leftMs = 5_000;

/**
 * When a renderer of a watched browser had no page: kept for going back, spare, or of workers. Not
 * the time before its first page was found, and not what is too short to say.
 */
export function restStretches(
  stretches: readonly PageStretch[],
  processes: readonly ProcessRecord[],
  watched: { fromUnixMs: number; toUnixMs: number },
): GroupStretch[] {
  const browsers = new Set(stretches.map(({ process }) => process.browserPid));
  return processes
    .filter(({ role, browserPid }) => isRenderer(role) && browsers.has(browserPid))
    .flatMap((record) => {
      const own = stretches.filter(({ process }) => process === record);
      const fromUnixMs = Math.max(record.firstUnixMs, watched.fromUnixMs);
      const toUnixMs = Math.min(record.endedUnixMs ?? watched.toUnixMs, watched.toUnixMs);
      return gapsOf(own, { fromUnixMs, toUnixMs }).map((gap) => ({
        group: restGroup,
        process: record.process,
        ...gap,
      }));
    });
}

function gapsOf(
  stretches: readonly PageStretch[],
  { fromUnixMs, toUnixMs }: { fromUnixMs: number; toUnixMs: number },
) {
  if (stretches.length === 0) {
    return toUnixMs - fromUnixMs < neverPlacedMs ? [] : [{ fromUnixMs, toUnixMs }];
  }
  const gaps: { fromUnixMs: number; toUnixMs: number }[] = [];
  let coveredUnixMs = Number.NEGATIVE_INFINITY;
  for (const stretch of stretches.toSorted((a, b) => a.fromUnixMs - b.fromUnixMs)) {
    const from = Math.max(coveredUnixMs, fromUnixMs);
    const to = Math.min(stretch.fromUnixMs, toUnixMs);
    if (coveredUnixMs > Number.NEGATIVE_INFINITY && to - from >= leftMs) {
      gaps.push({ fromUnixMs: from, toUnixMs: to });
    }
    coveredUnixMs = Math.max(coveredUnixMs, stretch.toUnixMs ?? toUnixMs);
  }
  const from = Math.max(coveredUnixMs, fromUnixMs);
  if (toUnixMs - from >= leftMs) gaps.push({ fromUnixMs: from, toUnixMs });
  return gaps;
}

function isRenderer(role: ProcessRecord['role']): boolean {
  return role === 'renderer' || role === 'extension';
}
