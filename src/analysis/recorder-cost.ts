import type { Tick } from '../model/session-memory.ts';
import type { TickTracker } from './tick-tracker.ts';

/** What the recorder itself took from the session. */
export interface RecorderReport {
  /** User and system time between the first and the last sample. */
  cpuSeconds: number | null;
  /** Milliseconds of CPU time for each second recorded; 10 is one per cent of one core. */
  cpuMsPerSecond: number | null;
  rssBytesMax: number | null;
  /** Longest reading of a sample, wall time. */
  readMsMax: number | null;
  /** The latest that a sample began after its time. */
  latenessMsMax: number | null;
  /** What it did against the OOM killer and for its turn on a CPU, in words; null: not recorded. */
  protection: string | null;
}

/** A recorder that was started again counts from zero: its first distance is left out. */
export function trackRecorder(protection: string | null): TickTracker<RecorderReport> {
  let last: Tick | null = null;
  let cpuMs = 0;
  let distanceMs = 0;
  let rssBytesMax: number | null = null;
  let readMsMax: number | null = null;
  let latenessMsMax: number | null = null;
  return {
    add(tick) {
      const { collector } = tick;
      if (last !== null && isSameRecorder(last, tick)) {
        cpuMs += collector.cpuMs - last.collector.cpuMs;
        distanceMs += tick.monotonicMs - last.monotonicMs;
      }
      last = tick;
      if (collector.readMs !== null) readMsMax = Math.max(collector.readMs, readMsMax ?? 0);
      latenessMsMax = Math.max(collector.latenessMs, latenessMsMax ?? 0);
      if (collector.rssBytes !== null) {
        rssBytesMax = Math.max(collector.rssBytes, rssBytesMax ?? 0);
      }
    },
    beginAnew() {
      last = null;
    },
    result: () => ({
      cpuSeconds: distanceMs > 0 ? Math.round(cpuMs) / 1000 : null,
      cpuMsPerSecond: distanceMs > 0 ? Math.round((cpuMs * 10_000) / distanceMs) / 10 : null,
      rssBytesMax,
      readMsMax,
      latenessMsMax,
      protection,
    }),
  };
}

function isSameRecorder(before: Tick, after: Tick): boolean {
  return (
    before.collector.pid === after.collector.pid &&
    after.monotonicMs > before.monotonicMs &&
    after.collector.cpuMs >= before.collector.cpuMs
  );
}
