import type { ProcessReading } from '../model/sample.ts';

/** Memory that moved by less than this since the last stored row is not worth a row. */
export const memoryStepBytes = 256 * 1024;
export const cpuStepMs = 500;
/** Pools of worker threads breathe by one or two all the time. */
export const threadStep = 4;
/** At least one row of every process within this many ticks. */
export const heartbeatTicks = 60;

/**
 * Whether a reading differs enough from the last stored one to be stored as well: RSS, anonymous
 * memory, shared memory or swap by 256 KiB, CPU time by 500 ms, threads by 4, the kind of state, or
 * a PSS that was read just now, which no other row has.
 */
export function isWorthStoring(stored: ProcessReading, reading: ProcessReading): boolean {
  return (
    reading.pssBytes !== null ||
    moved(stored.rssBytes, reading.rssBytes, memoryStepBytes) ||
    moved(stored.anonBytes, reading.anonBytes, memoryStepBytes) ||
    moved(stored.shmemBytes, reading.shmemBytes, memoryStepBytes) ||
    moved(stored.swapBytes, reading.swapBytes, memoryStepBytes) ||
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
