import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';

/**
 * Checks what a program gives: TypeError for what is neither a path nor a recording and for a time of
 * another type, RangeError for what is no range.
 */
export function requireAnalysable(source: string | Recording, range: TimeRange): void {
  if (typeof source !== 'string' && !(isObject(source) && 'facts' in source)) {
    throw new TypeError(`file is to be a path or an open recording, not ${String(source)}`);
  }
  if (!isObject(range)) throw new TypeError('range is to be an object');
  const { fromUnixMs, toUnixMs } = range;
  requireTime('fromUnixMs', fromUnixMs);
  requireTime('toUnixMs', toUnixMs);
  if (fromUnixMs !== undefined && toUnixMs !== undefined && fromUnixMs > toUnixMs) {
    throw new RangeError(`fromUnixMs is to be ${toUnixMs} (toUnixMs) or less, not ${fromUnixMs}`);
  }
}

function isObject(given: unknown): boolean {
  return typeof given === 'object' && given !== null;
}

function requireTime(name: string, value: unknown): void {
  if (value === undefined || Number.isFinite(value)) return;
  const words = `${name} is to be ms since the epoch, not ${String(value)}`;
  throw typeof value === 'number' ? new RangeError(words) : new TypeError(words);
}
