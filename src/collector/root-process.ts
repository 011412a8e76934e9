import { HeadroomError } from '../model/errors.ts';
import type { ProcFs } from './procfs/proc-fs.ts';
import { parseProcessStat } from './procfs/process-stat.ts';

const hint =
  'Give the pid of the running browser (pgrep -o chromium), or leave --pid out: every Chromium is found.';

/**
 * Checks the process that `--pid` names. PROCESS_NOT_FOUND when there is none, and
 * PROCESS_NOT_RECORDABLE for what has no memory to record: a thread of the kernel, a thread of a
 * process, and a process that has ended and was not waited for.
 */
export function requireRootProcess(pid: number, proc: ProcFs): void {
  const length = proc.read(`${pid}/stat`);
  const stat = typeof length === 'number' ? parseProcessStat(proc.buffer, length) : null;
  if (stat === null) {
    throw new HeadroomError('PROCESS_NOT_FOUND', `--pid ${pid}: no such process`, { hint });
  }
  const { comm, state, isKernelThread } = stat;
  if (isKernelThread) throw notRecordable(pid, `${comm} is a thread of the kernel`);
  if (state === 'Z' || state === 'X') {
    throw notRecordable(pid, `${comm} has ended, and its parent has not waited for it (a zombie)`);
  }
  // Threads can be asked for by number, and are not listed.
  const group = /^Tgid:\s*(\d+)/m.exec(proc.text(`${pid}/status`) ?? '')?.[1];
  if (group !== undefined && Number(group) !== pid) {
    throw notRecordable(pid, `is a thread of pid ${group}`);
  }
}

function notRecordable(pid: number, why: string): HeadroomError {
  return new HeadroomError('PROCESS_NOT_RECORDABLE', `--pid ${pid}: ${why}`, { hint });
}
