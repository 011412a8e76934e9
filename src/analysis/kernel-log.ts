import type { Note } from '../model/event.ts';
import type { Recording } from '../model/recording.ts';

/** How much of the kernel's log the recorder could read. */
export interface KernelLog {
  /** False: kills are known from the counters alone, if at all. */
  isKernelLogRead: boolean;
  /** Overwritten before they were read, while recording: what they said is not known. */
  kernelLogRecordsLost: number;
}

/** What the recorder noted of the log; it holds for every part of the recording. */
export function kernelLogOf(recording: Recording): KernelLog {
  const notes = recording.events().filter((event) => event.kind === 'note');
  const isDenied = notes.some(({ code }) => code === 'kmsg_unavailable');
  // The first sample may be thinned out; it is taken within the first interval.
  const { startedUnixMs, intervalMs } = recording.facts;
  const firstUnixMs = recording.firstTick()?.timeUnixMs ?? startedUnixMs;
  const startUnixMs = Math.min(firstUnixMs, startedUnixMs + intervalMs);
  return {
    isKernelLogRead: recording.facts.machine.sampleSource === 'proc' && !isDenied,
    kernelLogRecordsLost: recordsLost(
      notes.filter(({ code }) => code === 'kmsg_overrun'),
      startUnixMs,
    ),
  };
}

// The first reading, with the first sample, goes through what was logged before the recording.
function recordsLost(overruns: readonly Note[], startUnixMs: number): number {
  let lost = 0;
  let before = 0;
  for (const { timeUnixMs, message } of overruns) {
    const total = Number(/(\d+) records lost in all/.exec(message)?.[1] ?? before);
    // A recorder that was started again counts from zero.
    const more = total >= before ? total - before : total;
    if (timeUnixMs > startUnixMs) lost += more;
    before = total;
  }
  return lost;
}
