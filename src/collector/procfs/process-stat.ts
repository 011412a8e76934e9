import { printableText } from './printable-text.ts';

/** What is used of `/proc/<pid>/stat` (proc_pid_stat(5)). */
export interface ProcessStat {
  pid: number;
  comm: string;
  state: string;
  parentPid: number;
  isKernelThread: boolean;
  majorFaultCount: number;
  /** utime + stime, in clock ticks. */
  cpuTicks: number;
  threadCount: number;
  startTicks: number;
  /** Field 24, in pages: up to 340 KiB off on Linux 6.18; statm is exact. */
  rssPages: number;
}

// PF_KTHREAD of include/linux/sched.h
const kernelThreadFlag = 0x00200000;

/**
 * Parses a stat line. The name may hold blanks, parentheses and line feeds: it is what stands
 * between the first `(` and the last `)`, and the fields are counted from there. Null when the
 * bytes are not a stat line.
 */
export function parseProcessStat(buffer: Buffer, length: number): ProcessStat | null {
  // Native code all through: in a V8 without its compiler it beats a loop over the bytes.
  const text = buffer.toString('latin1', 0, length);
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 2 || close <= open) return null;
  const fields = text.slice(close + 2).split(' ', 22);
  const stat: ProcessStat = {
    pid: Number(text.slice(0, open - 1)),
    comm: printableText(buffer, open + 1, close),
    state: fields[0] ?? '',
    parentPid: Number(fields[1]),
    isKernelThread: (Number(fields[6]) & kernelThreadFlag) !== 0,
    majorFaultCount: Number(fields[9]),
    cpuTicks: Number(fields[11]) + Number(fields[12]),
    threadCount: Number(fields[17]),
    startTicks: Number(fields[19]),
    rssPages: Number(fields[21]),
  };
  return isSound(stat) ? stat : null;
}

function isSound(stat: ProcessStat): boolean {
  return (
    stat.state.length === 1 &&
    Number.isSafeInteger(stat.pid) &&
    Number.isSafeInteger(stat.parentPid) &&
    Number.isSafeInteger(stat.startTicks) &&
    Number.isSafeInteger(stat.majorFaultCount) &&
    Number.isSafeInteger(stat.cpuTicks) &&
    Number.isSafeInteger(stat.threadCount) &&
    Number.isSafeInteger(stat.rssPages)
  );
}
