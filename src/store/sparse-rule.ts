import type { ProcessReading } from '../model/sample.ts';

const leastMemoryStepBytes = 256 * 1024;
// Of a process above 64 MiB 0.4 % count, well within the 1.1 % of every percentile.
const memoryStepRatio = 1 / 256;
export const cpuStepMs = 500;
/** Pools of worker threads breathe by one or two all the time. */
export const threadStep = 4;
/** At least one row of every process within this many ticks. */
export const heartbeatTicks = 60;

/**
 * Memory that moved by less since the last stored row is not worth a row: 256 KiB, or 1/256 of the
 * RSS of that row where this is more.
 */
export function memoryStepBytes(rssBytes: number | null): number {
  return Math.max(leastMemoryStepBytes, (rssBytes ?? 0) * memoryStepRatio);
}

/**
 * Whether a reading differs enough from the last stored one to be stored as well: RSS, anonymous
 * memory, shared memory or swap by one step, CPU time by 500 ms, threads by 4, the kind of state, or
 * a PSS that was read just now, which no other row has.
 */
export function isWorthStoring(stored: ProcessReading, reading: ProcessReading): boolean {
  const stepBytes = memoryStepBytes(stored.rssBytes);
  return (
    reading.pssBytes !== null ||
    moved(stored.rssBytes, reading.rssBytes, stepBytes) ||
    moved(stored.anonBytes, reading.anonBytes, stepBytes) ||
    moved(stored.shmemBytes, reading.shmemBytes, stepBytes) ||
    moved(stored.swapBytes, reading.swapBytes, stepBytes) ||
    moved(stored.cpuMs, reading.cpuMs, cpuStepMs) ||
    moved(stored.threadCount, reading.threadCount, threadStep) ||
    stateClass(stored.state) !== stateClass(reading.state)
  );
}

function moved(from: number | null, to: number | null, step: number): boolean {
  if (from === null || to === null) return from !== to;
  return Math.abs(to - from) >= step;
}

// Between running, sleeping and waiting for the disk a process changes all the time (stat, field 3).
function stateClass(state: string): 'dead' | 'stopped' | 'working' {
  if (state === 'Z' || state === 'X') return 'dead';
  return state === 'T' || state === 't' ? 'stopped' : 'working';
}
