import type { OomKill } from '../../model/event.ts';
import { printableText } from '../procfs/printable-text.ts';
import type { ReportedKill } from './report.ts';

export interface KillPlacement {
  timeUnixMs: number;
  beforeStart: boolean;
  /** The task table counts in pages. */
  pageSizeBytes: number;
}

/** A kill from the log as the model has it: bytes, ms, text. */
export function oomKillEvent(kill: ReportedKill, placement: KillPlacement): OomKill {
  const { victim, circumstances } = kill;
  const { largestOther } = circumstances;
  return {
    kind: 'oom_kill',
    timeUnixMs: placement.timeUnixMs,
    kernelMs: kill.timeUs / 1000,
    kmsgSequence: kill.sequence,
    pid: victim.pid,
    comm: commText(victim.comm),
    uid: victim.uid,
    rssBytes: bytes(kill.rssKb, 1024),
    anonBytes: bytes(victim.anonKb, 1024),
    fileBytes: bytes(victim.fileKb, 1024),
    shmemBytes: bytes(victim.shmemKb, 1024),
    totalVmBytes: bytes(victim.totalVmKb, 1024),
    pageTablesBytes: bytes(victim.pageTablesKb, 1024),
    oomScoreAdj: victim.oomScoreAdj,
    scope: kill.scope,
    constraint: circumstances.constraint,
    cgroup: pathText(circumstances.cgroup),
    taskCgroup: pathText(circumstances.taskCgroup),
    triggerPid: circumstances.triggerPid,
    triggerComm: circumstances.triggerComm === null ? null : commText(circumstances.triggerComm),
    cgroupUsageBytes: bytes(circumstances.usageKb, 1024),
    cgroupLimitBytes: bytes(circumstances.limitKb, 1024),
    tasksListed: circumstances.tasksListed,
    largestOtherPid: largestOther?.pid ?? null,
    largestOtherComm: largestOther === null ? null : commText(largestOther.comm),
    largestOtherRssBytes: bytes(largestOther?.rssPages ?? null, placement.pageSizeBytes),
    oomGroup: pathText(circumstances.oomGroup),
    context: kill.context,
    beforeStart: placement.beforeStart,
  };
}

// The same text that the process table shows for the same name.
function commText(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1');
  return printableText(bytes, 0, bytes.length);
}

function pathText(latin1: string | null): string | null {
  return latin1 === null ? null : Buffer.from(latin1, 'latin1').toString('utf8');
}

// The kernel's "no limit" (9007199254740988 kB) passes 2^53 bytes, which no memory does: unknown.
function bytes(count: number | null, unitBytes: number): number | null {
  if (count === null) return null;
  const product = count * unitBytes;
  return Number.isSafeInteger(product) ? product : null;
}
