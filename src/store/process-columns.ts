import type { ProcessReading } from '../model/sample.ts';
import type { SharedTexts } from './shared-texts.ts';
import type { SqlValue } from './tick-columns.ts';

/** What a row of `process` is made from. */
interface Latest {
  reading: ProcessReading;
  peakRssBytes: number | null;
  peakPssBytes: number | null;
  texts: SharedTexts;
}

const latest: Readonly<Record<string, (from: Latest) => SqlValue>> = {
  parent_pid: ({ reading }) => reading.parentPid,
  comm: ({ reading }) => reading.comm,
  executable: ({ reading }) => reading.executable,
  role: ({ reading }) => reading.role,
  browser_pid: ({ reading }) => reading.browserPid,
  peak_rss_bytes: ({ peakRssBytes }) => whole(peakRssBytes),
  peak_pss_bytes: ({ peakPssBytes }) => whole(peakPssBytes),
  last_cpu_ms: ({ reading }) => whole(reading.cpuMs),
  command_text: ({ reading, texts }) => texts.numberOf(reading.command),
  cgroup_text: ({ reading, texts }) => texts.numberOf(reading.cgroup),
  oom_score_adj: ({ reading }) => reading.oomScoreAdj,
  descriptor_count: ({ reading }) => reading.descriptorCount,
  read_bytes: ({ reading }) => reading.readBytes,
  written_bytes: ({ reading }) => reading.writtenBytes,
};

/** The columns of `process` that hold the latest. */
export const latestColumns = Object.keys(latest);

/** Their values, in the same order. */
export function latestValues(from: Latest): SqlValue[] {
  return Object.values(latest).map((latestOf) => latestOf(from));
}

/**
 * Whether a reading differs in what is worth a write at once. Peaks, CPU time, descriptors and bytes
 * change all the time: they are written when the row is written anyway.
 */
export function isOtherwise(before: ProcessReading, after: ProcessReading): boolean {
  return (
    before.role !== after.role ||
    before.comm !== after.comm ||
    before.executable !== after.executable ||
    before.parentPid !== after.parentPid ||
    before.browserPid !== after.browserPid ||
    before.command !== after.command ||
    before.cgroup !== after.cgroup ||
    before.oomScoreAdj !== after.oomScoreAdj
  );
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}
