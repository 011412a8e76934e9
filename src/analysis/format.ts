/** A share of a whole as per cent, with a decimal where it is small: `62 %`, `4.8 %`. */
export function formatRatio(ratio: number | null): string {
  if (ratio === null) return 'unknown';
  const percent = ratio * 100;
  return percent > 0 && percent < 9.95 ? `${percent.toFixed(1)} %` : `${Math.round(percent)} %`;
}

/** `450 ms`, `20 s`, `5 min`, `5 min 10 s`, `2 h 5 min`. */
export function formatDuration(durationMs: number | null): string {
  if (durationMs === null) return 'unknown';
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return twoUnits(seconds, 60, ['min', 's']);
  return twoUnits(Math.round(seconds / 60), 60, ['h', 'min']);
}

/** An instant in UTC, to the second, as RFC 3339: `2026-11-29T14:52:31Z`. */
export function formatInstant(unixMs: number | null): string {
  if (unixMs === null) return 'unknown';
  const date = new Date(unixMs);
  if (Number.isNaN(date.getTime())) return 'unknown';
  return `${date.toISOString().slice(0, -5)}Z`;
}

/** From one instant to a later one, as far apart as {@link formatInstant} prints them. */
export function formatDistance(fromUnixMs: number, toUnixMs: number): string {
  const seconds = Math.floor(toUnixMs / 1000) - Math.floor(fromUnixMs / 1000);
  return formatDuration(seconds > 0 ? seconds * 1000 : toUnixMs - fromUnixMs);
}

/** `1 process`, `3 processes`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function twoUnits(amount: number, size: number, [large, small]: [string, string]): string {
  const rest = amount % size;
  const whole = `${Math.floor(amount / size)} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}
