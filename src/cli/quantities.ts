import { UsageError } from './command.ts';

// The largest first, each at most once; `m` is not the beginning of `ms`.
const durationParts = ['h', 'm(?!s)', 's', 'ms'].map((unit) => `(?:(\\d+(?:\\.\\d+)?)${unit})?`);
const durationPattern = new RegExp(`^${durationParts.join('')}$`);
const durationUnitsMs = [3_600_000, 60_000, 1_000, 1];

const sizePattern = /^(\d+(?:\.\d+)?)(?:B|([KMGT])(?:iB)?)?$/i;
const sizeUnits: Readonly<Record<string, number>> = {
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
};

// A year: nobody means more, and timers and clocks still can do it.
const longestMs = 366 * 24 * 3_600_000;

/** `500ms 10s 5m 2h 1m30s` in milliseconds; UsageError naming the flag otherwise. */
export function parseDuration(flag: string, text: string): number {
  const trimmed = text.trim();
  const amounts = durationPattern.exec(trimmed)?.slice(1) ?? [];
  const ms = Math.round(
    durationUnitsMs.reduce((sum, unit, index) => sum + Number(amounts[index] ?? 0) * unit, 0),
  );
  if (trimmed === '' || amounts.length === 0 || ms > longestMs) {
    throw new UsageError(
      `${flag} takes a duration such as 500ms, 10s, 5m, 2h or 1m30s, of a year at most, not "${text}"`,
    );
  }
  return ms;
}

/**
 * `400MiB 400M 1g` (and plain bytes) in bytes; UsageError naming the flag otherwise. A K is 1024, as
 * for Docker and systemd; KB may mean 1000 as well and is refused.
 */
export function parseSize(flag: string, text: string): number {
  const match = sizePattern.exec(text.trim());
  const unit = sizeUnits[match?.[2]?.toLowerCase() ?? ''] ?? 1;
  const bytes = Math.floor(Number(match?.[1]) * unit);
  if (!Number.isSafeInteger(bytes)) {
    throw new UsageError(
      `${flag} takes a size such as 400M or 1GiB, not "${text}"; the units are B, K, M, G and T, or KiB, MiB, GiB and TiB, all of 1024`,
    );
  }
  return bytes;
}

/** A share between 0 and 1, both excluded: `0.99` or `99%`; UsageError naming the flag otherwise. */
export function parseShare(flag: string, text: string): number {
  const match = /^(\d*\.?\d+)(%?)$/.exec(text.trim());
  const share = match?.[2] === '%' ? Number(match[1]) / 100 : Number(match?.[1]);
  if (!(share > 0 && share < 1)) {
    throw new UsageError(`${flag} takes a share such as 0.99 or 99%, below 1, not "${text}"`);
  }
  return share;
}

/** A TCP port; 0 stands for any that is free. UsageError naming the flag otherwise. */
export function parsePort(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`${flag} takes a port, 0 to 65535, not "${text}"`);
  return port;
}

/** The text of an http(s) URL as it was given; UsageError naming the flag otherwise. */
export function parseHttpUrl(flag: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  // A password in it is not for the terminal.
  const shown = text.replace(/[^/@\s]*@/, '');
  throw new UsageError(`${flag} takes a URL such as http://localhost:4318, not "${shown}"`);
}

/** A process id, null when none was given; UsageError naming the flag otherwise. */
export function parsePid(flag: string, text: string | null): number | null {
  if (text === null) return null;
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw new UsageError(`${flag} takes a process id, not "${text}"`);
  return Number(text);
}

/**
 * Where the debugging protocol of a browser is: the text of an http(s) or ws(s) URL, or null for
 * `auto`, whatever has a debugging port. UsageError naming the flag otherwise.
 */
export function parseDevtoolsAddress(flag: string, text: string): string | null {
  if (text === 'auto') return null;
  if (URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`${flag} takes auto or a URL such as http://localhost:9222, not "${text}"`);
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
  if (Number.isNaN(unixMs) || !isDay(trimmed.slice(0, 10))) {
    throw new UsageError(
      `${flag} takes a time such as 2026-11-29T17:00:00Z, +90s (after the start) or -2m (before the end), not "${text}"`,
    );
  }
  return unixMs;
}

// Date.parse takes the 30th of February for the 2nd of March.
function isDay(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
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
