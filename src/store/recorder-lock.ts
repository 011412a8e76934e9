import { existsSync, readFileSync } from 'node:fs';
import { errnoOf } from '../model/errors.ts';

/** The process that writes a file. A pid alone is reused; with its start and the boot it is not. */
export interface RecorderIdentity {
  pid: number;
  /** Clock ticks from the boot to its start; null where the system does not tell. */
  startTicks: number | null;
  bootId: string | null;
}

/** The identity of this process. */
export function thisRecorder(): RecorderIdentity {
  return {
    pid: process.pid,
    startTicks: readStat(process.pid)?.startTicks ?? null,
    bootId: readBootId(),
  };
}

/**
 * Whether that very process still runs on this machine: the same boot, a pid that exists, is no
 * zombie and was started at the same tick.
 */
export function isRecorderAlive(recorder: RecorderIdentity): boolean {
  if (recorder.bootId !== readBootId() || !pidExists(recorder.pid)) return false;
  const stat = readStat(recorder.pid);
  if (stat === null) return true;
  if (stat.state === 'Z' || stat.state === 'X') return false;
  return recorder.startTicks === null || stat.startTicks === recorder.startTicks;
}

/**
 * Whether a recorder writes this very file: a copy that another program made names the recorder of
 * the original as well, and the log that it writes is only beside that one.
 */
export function isBeingRecorded(
  path: string,
  { recorder }: { recorder: RecorderIdentity | null },
  isAlive: (recorder: RecorderIdentity) => boolean,
): boolean {
  return recorder !== null && existsSync(`${path}-wal`) && isAlive(recorder);
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    if (errnoOf(error) === 'ESRCH') return false;
    if (errnoOf(error) === 'EPERM') return true;
    throw error;
  }
}

// Fields 3 and 22 of proc_pid_stat(5); the name before them may hold any character, also ')'.
function readStat(pid: number): { state: string; startTicks: number } | null {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTicks = Number(fields[19]);
  return Number.isSafeInteger(startTicks) ? { state: fields[0] ?? '', startTicks } : null;
}

function readBootId(): string | null {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? null;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    // No /proc here (macOS), or the process is gone or hidden.
    return null;
  }
}
