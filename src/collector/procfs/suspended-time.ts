import type { Clock } from '../sampler.ts';
import type { ProcFs } from './proc-fs.ts';

const attempts = 3;
const mostApartMs = 100;

/**
 * How long the machine has slept since boot, ms: /proc/uptime counts that time (CLOCK_BOOTTIME,
 * proc_uptime(5)), CLOCK_MONOTONIC does not. Only differences mean something. Null where it cannot
 * be read, or not at the same moment as the clock, as on a machine that stands still.
 */
export function readSuspendedMs(
  proc: Pick<ProcFs, 'text'>,
  clock: Pick<Clock, 'monotonicMs'>,
): number | null {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const beforeMs = clock.monotonicMs();
    const seconds = Number.parseFloat(proc.text('uptime') ?? '');
    const apartMs = clock.monotonicMs() - beforeMs;
    if (!Number.isFinite(seconds)) return null;
    if (apartMs <= mostApartMs) return seconds * 1000 - beforeMs;
  }
  return null;
}
