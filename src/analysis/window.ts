import type { Recording } from '../model/recording.ts';
import { type Percentiles, percentilesOf, quantileOf } from './percentiles.ts';

/** Percentiles of a part of a recording: those of a report with the same `--from` and `--to`. */
export interface WindowReport {
  fromUnixMs: number;
  toUnixMs: number;
  workingSetBytes: Percentiles;
  availableBytes: { p1: number | null; p50: number | null };
  browserPssBytes: Percentiles;
}

/** Of the samples from one instant to another, both included. */
export function windowReport(
  recording: Recording,
  range: { fromUnixMs: number; toUnixMs: number },
): WindowReport {
  const available = recording.distribution({ scope: 'session', metric: 'available' }, range);
  return {
    ...range,
    workingSetBytes: percentilesOf(recording, { scope: 'session', metric: 'working_set' }, range),
    availableBytes: { p1: quantileOf(available, 0.01), p50: quantileOf(available, 0.5) },
    browserPssBytes: percentilesOf(recording, { scope: 'session', metric: 'browser_pss' }, range),
  };
}
