import type { ProcessReport } from './processes.ts';

// Below it the estimate is as good as what was read.
const estimateRatio = 1.02;

/** The highest PSS to show: what was read, or the estimate where that is clearly more. */
export function highestPss({
  peakPssBytes,
  peakPssEstimatedBytes,
}: Pick<ProcessReport, 'peakPssBytes' | 'peakPssEstimatedBytes'>): {
  bytes: number | null;
  isEstimated: boolean;
} {
  const isEstimated = (peakPssEstimatedBytes ?? 0) > estimateRatio * (peakPssBytes ?? 0);
  return { bytes: isEstimated ? peakPssEstimatedBytes : peakPssBytes, isEstimated };
}
