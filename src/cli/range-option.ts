import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import { type ParsedArguments, UsageError } from './command.ts';
import { textOption } from './parse-arguments.ts';
import { parseInstant } from './quantities.ts';

/**
 * The part of a recording that two flags ask for, `--from` and the other; UsageError, also where the one
 * is after the other. Of many recordings that is asked of two times that are counted from the same point
 * only: from the start of one and to before its end there may be nothing in a short one.
 */
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
  const fromUnixMs = instantOf('from');
  const toUnixMs = instantOf(until);
  const isTurned = fromUnixMs !== undefined && toUnixMs !== undefined && fromUnixMs > toUnixMs;
  if (isTurned && (parsed.positionals.length === 1 || isOfOnePoint(parsed, until))) {
    throw new UsageError(`--from is after --${until}: there is nothing between them`);
  }
  return { fromUnixMs, toUnixMs };
}

/** Both are counted from the start, or from the end, or are times. */
function isOfOnePoint(parsed: ParsedArguments, until: string): boolean {
  const [from, to] = ['from', until].map((flag) => {
    const text = textOption(parsed, flag)?.trim() ?? '';
    return /^[+-]/.exec(text)?.[0] ?? '';
  });
  return from === to;
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
