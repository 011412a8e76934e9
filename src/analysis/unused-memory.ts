import { availableBytes, bindingCgroup, type Tick } from '../model/session-memory.ts';

/**
 * What of the limit is not held by memory that cannot be given back (anonymous, shared, the kernel's):
 * in a limited cgroup the limit less these three, which file cache of any kind does not move; on a
 * machine MemAvailable. Null when that is not known. Bytes.
 */
export function unusedBytes(tick: Tick): number | null {
  const cgroup = bindingCgroup(tick);
  if (cgroup === null) return availableBytes(tick);
  const { limitBytes, anonBytes, shmemBytes, kernelBytes } = cgroup;
  if (limitBytes === null || anonBytes === null) return availableBytes(tick);
  return Math.max(0, limitBytes - anonBytes - (shmemBytes ?? 0) - (kernelBytes ?? 0));
}
