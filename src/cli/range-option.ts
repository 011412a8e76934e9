import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import type { ParsedArguments } from './command.ts';
import { textOption } from './parse-arguments.ts';
import { parseInstant } from './quantities.ts';

/** The part of a recording that two flags ask for, `--from` and the other; UsageError. */
export function rangeOption(
  parsed: ParsedArguments,
  recording: Recording,
  until: 'to' | 'until',
): TimeRange {
  const bounds = boundsOf(recording);
  const instantOf = (flag: string): number | undefined => {
    const text = textOption(parsed, flag);
    return text === null ? undefined : parseInstant(`--${flag}`, text, bounds);
  };
  return { fromUnixMs: instantOf('from'), toUnixMs: instantOf(until) };
}

/** From its first sample to its last. */
export function boundsOf(recording: Recording): { startUnixMs: number; endUnixMs: number } {
  const { startedUnixMs } = recording.facts;
  return {
    // The first tick may be thinned out.
    startUnixMs: recording.resolutions()[0]?.fromUnixMs ?? startedUnixMs,
    endUnixMs: recording.lastTick()?.timeUnixMs ?? startedUnixMs,
  };
}
