/** Cumulative stall time of one resource; null where the kernel does not say. */
export interface StallTime {
  someMs: number | null;
  fullMs: number | null;
}

const someLine = /^some .*total=(\d+)/m;
const fullLine = /^full .*total=(\d+)/m;

/**
 * `/proc/pressure/*` or a cgroup's `*.pressure` (accounting/psi.rst): `total=` in µs there, whole
 * milliseconds here. The averages are left out: they can be made from two totals, for any window.
 */
export function parsePressure(buffer: Buffer, length: number): StallTime {
  const text = buffer.toString('latin1', 0, length);
  return { someMs: total(text, someLine), fullMs: total(text, fullLine) };
}

function total(text: string, line: RegExp): number | null {
  const us = Number(line.exec(text)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(us) ? Math.floor(us / 1000) : null;
}
