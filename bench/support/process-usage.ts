import fs from 'node:fs';

const tickMs = 10;

/** What a process holds and has used so far, from its /proc files. */
export interface ProcessUsage {
  cpuMs: number;
  rssBytes: number;
  anonBytes: number;
}

/** Reads a running process. Throws when it is gone. */
export function processUsage(pid: number): ProcessUsage {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const rollup = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs, ...memoryOf(rollup) };
}

/** What a smaps_rollup says. */
export function memoryOf(rollup: string): Pick<ProcessUsage, 'rssBytes' | 'anonBytes'> {
  return { rssBytes: kilobytes(rollup, 'Rss'), anonBytes: kilobytes(rollup, 'Anonymous') };
}

function kilobytes(rollup: string, key: string): number {
  const found = new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1];
  if (found === undefined) throw new Error(`no ${key} in smaps_rollup`);
  return Number(found) * 1024;
}
