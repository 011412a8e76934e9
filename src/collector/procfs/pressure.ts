/** Cumulative stall time of one resource; null where the kernel does not say. */
export interface StallTime {
  someMs: number | null;
  fullMs: number | null;
}

/**
 * `/proc/pressure/*` or a cgroup's `*.pressure` (accounting/psi.rst): `total=` in µs there, whole
 * milliseconds here. The averages are left out: they can be made from two totals, for any window.
 */
export function parsePressure(buffer: Buffer, length: number): StallTime {
  const text = buffer.toString('latin1', 0, length);
  return { someMs: total(text, 'some '), fullMs: total(text, 'full ') };
}

function total(text: string, line: string): number | null {
  const start = text.startsWith(line) ? 0 : text.indexOf(`\n${line}`);
  if (start < 0) return null;
  const at = text.indexOf('total=', start);
  if (at < 0) return null;
  const us = Number.parseInt(text.slice(at + 6, at + 28), 10);
  return Number.isFinite(us) ? Math.floor(us / 1000) : null;
}
