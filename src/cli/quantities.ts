import { UsageError } from './command.ts';

const durationUnits: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const sizeUnits: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

// A year: nobody means more, and timers and clocks still can do it.
const longestMs = 366 * 24 * 3_600_000;

/** `500ms 10s 5m 2h` in milliseconds; UsageError naming the flag otherwise. */
export function parseDuration(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim());
  const unit = durationUnits[match?.[2] ?? ''];
  const ms = Math.round(Number(match?.[1]) * (unit ?? Number.NaN));
  if (!(ms <= longestMs)) {
    throw new UsageError(
      `${flag} takes a duration such as 500ms, 10s, 5m or 2h, of a year at most, not "${text}"`,
    );
  }
  return ms;
}

/** `400MiB 1GiB` (and plain bytes) in bytes; UsageError naming the flag otherwise. */
export function parseSize(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(B|KiB|MiB|GiB|TiB)?$/.exec(text.trim());
  const unit = sizeUnits[match?.[2] ?? 'B'];
  const bytes = Math.floor(Number(match?.[1]) * (unit ?? Number.NaN));
  if (!Number.isSafeInteger(bytes)) {
    throw new UsageError(`${flag} takes a size such as 400MiB or 1GiB, not "${text}"`);
  }
  return bytes;
}

// With its zone: a time without one would mean another instant on every machine.
const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * A point in time: RFC 3339 (`2026-11-29T17:00:00Z`), or ms since the epoch, or `+90s` / `-2m` from
 * the start or the end of the recording. UsageError naming the flag otherwise.
 */
export function parseInstant(
  flag: string,
  text: string,
  recording: { startUnixMs: number; endUnixMs: number },
): number {
  const trimmed = text.trim();
  if (/^\d{12,}$/.test(trimmed)) return Number(trimmed);
  if (trimmed.startsWith('+')) {
    return recording.startUnixMs + parseDuration(flag, trimmed.slice(1));
  }
  if (trimmed.startsWith('-')) return recording.endUnixMs - parseDuration(flag, trimmed.slice(1));
  const unixMs = rfc3339.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  if (Number.isNaN(unixMs)) {
    throw new UsageError(
      `${flag} takes a time such as 2026-11-29T17:00:00Z, +90s (after the start) or -2m (before the end), not "${text}"`,
    );
  }
  return unixMs;
}

/** `K=V` pairs as a record; UsageError naming the flag when there is no `=` or no key. */
export function parseLabels(flag: string, pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`${flag} takes KEY=VALUE, not "${pair}"`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
