import type { ProcessFacts } from '../model/sample.ts';
import type { ProcessFiles } from './procfs/process-files.ts';

/** The facts of a browser's process besides its command line, and how often they were read. */
export interface MemberFacts extends Omit<ProcessFacts, 'command'> {
  readCount: number;
}

// Chromium sets oom_score_adj a moment after the fork, and who sets a cgroup does so at the start.
// Once it has settled they are read a twelfth as often: they take more than half of all the time.
const settlingReads = 6;
const settledEvery = 12;

/**
 * Reads them at the pace of `status`: about 20 µs a process, with the two that seldom change 50 µs,
 * of CPU time. What cannot be read this time stays as it was.
 */
export function readFacts(files: ProcessFiles, before: MemberFacts | null): MemberFacts {
  const readCount = before?.readCount ?? 0;
  const isDue = readCount < settlingReads || readCount % settledEvery === 0;
  const io = files.io();
  return {
    oomScoreAdj: (isDue ? files.oomScoreAdj() : null) ?? before?.oomScoreAdj ?? null,
    cgroup: (isDue ? files.cgroup() : null) ?? before?.cgroup ?? null,
    descriptorCount: files.descriptorCount() ?? before?.descriptorCount ?? null,
    readBytes: io?.readBytes ?? before?.readBytes ?? null,
    writtenBytes: io?.writtenBytes ?? before?.writtenBytes ?? null,
    readCount: readCount + 1,
  };
}
