import type { ProcessSample } from '../model/recording.ts';
import { AnonymousMemories } from './anonymous-memory.ts';

/** A process belongs to a group for a while. */
export interface GroupStretch {
  group: string;
  process: number;
  fromUnixMs: number;
  toUnixMs: number;
}

/** Memory of processes together: bytes that each has for itself and cannot give back. */
export interface GroupMemory {
  peak: number | null;
  peakUnixMs: number | null;
  last: number | null;
  /**
   * `pss_anon`: proportional share of anonymous memory. `anon`: for one of them at least that was not
   * read, and pages count that it still shares with its zygote, about 14 MiB.
   */
  source: 'pss_anon' | 'anon' | null;
}

export const noMemory: GroupMemory = { peak: null, peakUnixMs: null, last: null, source: null };

/** The memory of each group over time; the rows are those of all processes from the beginning, by time. */
export function groupMemories(
  rows: Iterable<ProcessSample>,
  stretches: readonly GroupStretch[],
): Map<string, GroupMemory> {
  const memories = new AnonymousMemories();
  const members = new Map<string, Set<number>>();
  const results = new Map<string, GroupMemory>();
  const boundaries = boundariesOf(stretches);
  let next = 0;
  const measure = (group: string, timeUnixMs: number) => {
    const sum = sumOf(members.get(group) ?? [], memories);
    if (sum !== null) results.set(group, larger(results.get(group), sum, timeUnixMs));
  };
  const advance = (toUnixMs: number) => {
    for (let at = boundaries[next]; at !== undefined && at.timeUnixMs <= toUnixMs; ) {
      const { group, process } = at.stretch;
      const processes = members.get(group) ?? new Set();
      members.set(group, processes);
      if (at.isBegin) processes.add(process);
      else processes.delete(process);
      // Not at an end: of a page that is closed the last is what it had until then.
      if (at.isBegin) measure(group, at.timeUnixMs);
      at = boundaries[++next];
    }
  };
  for (const row of rows) {
    advance(row.timeUnixMs);
    memories.add(row);
    for (const [group, processes] of members) {
      if (processes.has(row.process)) measure(group, row.timeUnixMs);
    }
  }
  advance(Number.POSITIVE_INFINITY);
  return results;
}

function boundariesOf(stretches: readonly GroupStretch[]) {
  return stretches
    .flatMap((stretch) => [
      { timeUnixMs: stretch.fromUnixMs, isBegin: true, stretch },
      // What is read at its very end still counts.
      { timeUnixMs: stretch.toUnixMs + 0.5, isBegin: false, stretch },
    ])
    .sort((a, b) => a.timeUnixMs - b.timeUnixMs);
}

interface Sum {
  bytes: number;
  source: 'pss_anon' | 'anon';
}

// Unknown as soon as one of them is: a sum without it would look small.
function sumOf(processes: Iterable<number>, memories: AnonymousMemories): Sum | null {
  let bytes = 0;
  let count = 0;
  let source: Sum['source'] = 'pss_anon';
  for (const process of processes) {
    const memory = memories.of(process);
    if (memory === null) return null;
    bytes += memory.bytes;
    count++;
    if (memory.source === 'anon') source = 'anon';
  }
  return count === 0 ? null : { bytes, source };
}

function larger(before: GroupMemory | undefined, sum: Sum, timeUnixMs: number): GroupMemory {
  const { bytes, source } = sum;
  if (before === undefined || bytes > (before.peak ?? -1)) {
    return { peak: bytes, peakUnixMs: timeUnixMs, last: bytes, source };
  }
  return { ...before, last: bytes };
}
