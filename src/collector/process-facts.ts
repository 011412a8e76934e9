import type { ProcessFacts } from '../model/sample.ts';
import type { ProcessFiles } from './procfs/process-files.ts';

/** The facts of a browser's process besides its command line. */
export interface MemberFacts extends Omit<ProcessFacts, 'command'> {
  /** How often they could have been read. */
  turnCount: number;
}

// Of a young process at every turn: Chromium sets oom_score_adj a moment after the fork, and many a
// process does not get old. Later seldom, as nobody keeps more of them than one a minute.
const youngTurns = 6;
const settledEveryTurns = 6;

/**
 * Reads them, at the pace of `status`, or lets them be: about 70 µs of CPU time a process, 2 µs a
 * second and process. What cannot be read this time stays as it was.
 */
export function readFacts(files: ProcessFiles, before: MemberFacts | null): MemberFacts {
  const turn = before?.turnCount ?? 0;
  const turnCount = turn + 1;
  const isDue = turn < youngTurns || turn % settledEveryTurns === 0;
  if (before !== null && !isDue) return { ...before, turnCount };
  const io = files.io();
  return {
    oomScoreAdj: files.oomScoreAdj() ?? before?.oomScoreAdj ?? null,
    cgroup: files.cgroup() ?? before?.cgroup ?? null,
    descriptorCount: files.descriptorCount() ?? before?.descriptorCount ?? null,
    readBytes: io?.readBytes ?? before?.readBytes ?? null,
    writtenBytes: io?.writtenBytes ?? before?.writtenBytes ?? null,
    turnCount,
  };
}
