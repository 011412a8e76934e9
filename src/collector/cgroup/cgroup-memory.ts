import { smaller } from '../../model/known-extremes.ts';
import type { CgroupMemory } from '../../model/sample.ts';
import { ProcFs } from '../procfs/proc-fs.ts';
import type { CgroupLocation } from './locate-cgroup.ts';
import type { MemoryEvents, MemoryLevel } from './memory-level.ts';
import { MemoryV1 } from './memory-v1.ts';
import { MemoryV2 } from './memory-v2.ts';

interface PlacedLevel {
  path: string;
  memory: MemoryLevel;
}

/**
 * Reads the memory cgroup of a session through kept descriptors: every limit up to the root, and
 * the figures of the one cgroup whose limit binds.
 */
export class CgroupMemoryReader {
  readonly #version: 1 | 2;
  /** The session's own cgroup first; empty when there is none, or none any more. */
  #levels: readonly PlacedLevel[];

  /** `files` has the root of the file system as its root. */
  constructor(location: CgroupLocation, files: ProcFs = new ProcFs('')) {
    const Memory = location.version === 1 ? MemoryV1 : MemoryV2;
    this.#version = location.version;
    this.#levels = location.levels
      .map(({ path, directory }) => ({ path, memory: new Memory(files, directory) }))
      .filter(({ memory }) => memory.readLimit() !== 'gone');
  }

  /**
   * One reading. The smallest limit binds, among equal ones the nearest, and none that is not below
   * the machine's memory; where none binds the figures are those of the session's own cgroup. Null
   * when there is no memory cgroup, and for good once it was removed.
   */
  read(machineTotalBytes: number): CgroupMemory | null {
    const limits = this.#levels.map(({ memory }) => memory.readLimit());
    if (limits[0] === 'gone') this.close();
    const smallest = smallestLimit(limits);
    const binds = smallest !== null && smallest.bytes < machineTotalBytes;
    const upToBinding = this.#levels.slice(0, binds ? smallest.index + 1 : 1);
    const binding = upToBinding.at(-1);
    if (binding === undefined) return null;

    const { hierarchicalLimitBytes, ...usage } = binding.memory.readUsage();
    return {
      version: this.#version,
      path: binding.path,
      limitBytes: smaller(smallest?.bytes ?? null, hierarchicalLimitBytes),
      ...usage,
      ...readEvents(upToBinding),
    };
  }

  close(): void {
    for (const { memory } of this.#levels) memory.close();
    this.#levels = [];
  }
}

function smallestLimit(
  limits: readonly (number | null | 'gone')[],
): { index: number; bytes: number } | null {
  let smallest: { index: number; bytes: number } | null = null;
  for (const [index, bytes] of limits.entries()) {
    if (typeof bytes !== 'number') continue;
    if (smallest === null || bytes < smallest.bytes) smallest = { index, bytes };
  }
  return smallest;
}

/** Events of the last cgroup; those of the cgroups below it are added where it leaves them out. */
function readEvents(levels: readonly PlacedLevel[]): MemoryEvents {
  let sum: MemoryEvents = { oomKillCount: null, limitHitCount: null };
  for (const [index, { memory }] of levels.entries()) {
    if (memory.countsEventsBelow && index < levels.length - 1) continue;
    const events = memory.readEvents();
    sum = {
      oomKillCount: added(sum.oomKillCount, events.oomKillCount),
      limitHitCount: added(sum.limitHitCount, events.limitHitCount),
    };
  }
  return sum;
}

function added(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}
