import type { CgroupMemory, LimitSource, MachineMemory, Sample } from './sample.ts';

/** A sample without its processes: what one row of the table `tick` holds. */
export type Tick = Omit<Sample, 'processes' | 'unreadable'>;

/** Of a tick what tells whether something happened: a third of its figures, read in a third of the time. */
export interface BriefTick
  extends Pick<Tick, 'sequence' | 'timeUnixMs' | 'monotonicMs' | 'intervalMs'> {
  machine: MemoryReading['machine'];
  cgroup: (NonNullable<MemoryReading['cgroup']> & Pick<CgroupMemory, 'peakBytes'>) | null;
  pressure: Pick<Tick['pressure'], 'memorySomeMs' | 'memoryFullMs'>;
  activity: Pick<Tick['activity'], 'refaultFileCount'>;
  browser: Pick<Tick['browser'], 'processCount' | 'zombieCount'>;
  collector: Pick<Tick['collector'], 'readMs' | 'missedTickCount'>;
}

/** What of a sample these figures are made of. */
export interface MemoryReading {
  machine: Pick<MachineMemory, 'totalBytes' | 'freeBytes' | 'availableBytes' | 'inactiveFileBytes'>;
  cgroup: Pick<
    CgroupMemory,
    'version' | 'limitBytes' | 'chargedBytes' | 'inactiveFileBytes'
  > | null;
}

/** The memory that the session may use, and who sets that bound. */
export function sessionLimit(reading: MemoryReading): { bytes: number; source: LimitSource } {
  const { machine, cgroup } = reading;
  if (bindingCgroup(reading) === null || cgroup === null) {
    return { bytes: machine.totalBytes, source: 'machine' };
  }
  return {
    bytes: cgroup.limitBytes ?? machine.totalBytes,
    source: cgroup.version === 1 ? 'cgroup_v1' : 'cgroup_v2',
  };
}

/**
 * Charged memory less the file pages that the kernel drops first: the cgroup's where its limit
 * binds, else the machine's (MemTotal − MemFree − Inactive(file)). Bytes.
 */
export function workingSetBytes(reading: MemoryReading): number | null {
  const cgroup = bindingCgroup(reading);
  if (cgroup !== null) return subtract(cgroup.chargedBytes, cgroup.inactiveFileBytes);
  const { machine } = reading;
  return subtract(machine.totalBytes - machine.freeBytes, machine.inactiveFileBytes);
}

/**
 * What can still be allocated without reclaiming what is in use: the smaller of the machine's
 * MemAvailable and the cgroup's limit less its working set. Bytes.
 */
export function availableBytes(reading: MemoryReading): number | null {
  const cgroup = bindingCgroup(reading);
  const ofMachine = reading.machine.availableBytes;
  if (cgroup === null) return ofMachine;
  const ofCgroup = subtract(cgroup.limitBytes, workingSetBytes(reading));
  if (ofCgroup === null) return null;
  return ofMachine === null ? ofCgroup : Math.min(ofMachine, ofCgroup);
}

/** The limit less what is available, so that the two add up to it. Bytes. */
export function usedBytes(reading: MemoryReading): number | null {
  return subtract(sessionLimit(reading).bytes, availableBytes(reading));
}

/** Working set divided by the limit, 0 to 1 and seldom a little above. */
export function utilizationRatio(reading: MemoryReading): number | null {
  const workingSet = workingSetBytes(reading);
  const limit = sessionLimit(reading).bytes;
  return workingSet === null || limit <= 0 ? null : workingSet / limit;
}

/** The cgroup, when its limit is below the machine's memory; null when the machine binds. */
export function bindingCgroup<Cgroup extends Pick<CgroupMemory, 'limitBytes'>>({
  cgroup,
  machine,
}: {
  machine: Pick<MachineMemory, 'totalBytes'>;
  cgroup: Cgroup | null;
}): Cgroup | null {
  if (cgroup === null || cgroup.limitBytes === null) return null;
  return cgroup.limitBytes < machine.totalBytes ? cgroup : null;
}

function subtract(whole: number | null, part: number | null): number | null {
  if (whole === null || part === null) return null;
  return Math.max(0, whole - part);
}
