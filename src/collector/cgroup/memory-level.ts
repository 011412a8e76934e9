import type { CgroupMemory } from '../../model/sample.ts';

/** One cgroup on the way up, read through the files of the memory controller, v1 or v2. */
export interface MemoryLevel {
  /** Whether the counters of a cgroup include what happened in the cgroups below it. */
  readonly countsEventsBelow: boolean;
  /**
   * Its own limit in bytes, null when it has none; `gone` when there is no such cgroup, or none any
   * more, or the memory controller is not enabled in it.
   */
  readLimit(): number | null | 'gone';
  readUsage(): MemoryUsage;
  readEvents(): MemoryEvents;
  close(): void;
}

export interface MemoryUsage
  extends Omit<CgroupMemory, 'version' | 'path' | 'limitBytes' | keyof MemoryEvents> {
  /**
   * The smallest limit of the cgroup and of all its parents, those outside of a container too; null
   * where the kernel does not tell (v2) or there is none.
   */
  hierarchicalLimitBytes: number | null;
}

export type MemoryEvents = Pick<CgroupMemory, 'oomKillCount' | 'limitHitCount'>;
