import { expect, test } from 'vitest';
import { readSuspendedMs } from '../../../src/collector/procfs/suspended-time.ts';

function procOf(uptime: string | null) {
  return { text: (name: string) => (name === 'uptime' ? uptime : null) };
}

/** A clock whose readings are given in turn. */
function clockOf(...readings: number[]) {
  const next = readings[Symbol.iterator]();
  return { monotonicMs: () => next.next().value ?? Number.NaN };
}

test('what uptime has and the monotonic clock has not', () => {
  const proc = procOf('730.25 1200.00\n');
  expect(readSuspendedMs(proc, clockOf(130_250, 130_251))).toBe(600_000);
});

test('read again when the two readings were far apart, and given up in the end', () => {
  const proc = procOf('730.25 1200.00\n');
  expect(readSuspendedMs(proc, clockOf(100_000, 130_000, 130_250, 130_250))).toBe(600_000);
  expect(readSuspendedMs(proc, clockOf(0, 101, 200, 301, 400, 501))).toBeNull();
});

test.each([[null], [''], ['none\n']])('unknown with an uptime of %j', (uptime) => {
  const proc = procOf(uptime);
  expect(readSuspendedMs(proc, clockOf(0, 0))).toBeNull();
});
