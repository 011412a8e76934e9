import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { errnoOf } from '../model/errors.ts';
import { orNull } from '../model/or-null.ts';

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
 * the original as well, which has only that one open. See docs/decisions/0021-what-is-live.md.
 */
export function isBeingRecorded(
  path: string,
  { recorder }: { recorder: RecorderIdentity | null },
  isAlive: (recorder: RecorderIdentity) => boolean,
): boolean {
  if (recorder === null || !isAlive(recorder)) return false;
  // One that was moved has its log elsewhere.
  return isOpenIn(recorder.pid, path) ?? existsSync(`${path}-wal`);
}

/**
 * Whether a recorder writes this very file under another name, from which it was moved or linked. Its
 * log is there, and whoever opens it by this name makes another one. False where nobody can tell.
 */
export function isMovedAway(
  path: string,
  { recorder }: { recorder: RecorderIdentity | null },
  isAlive: (recorder: RecorderIdentity) => boolean,
): boolean {
  return recorder !== null && isAlive(recorder) && isOpenWithoutLog(recorder.pid, path);
}

/** Whether somebody may have the file open who does not share its log; asks only the kernel. */
export function mayBeMovedAway(path: string): boolean {
  const listed = locks();
  // Where the kernel lists no locks, the file has to be asked whose descriptors to look at.
  if (listed.length === 0) return true;
  const sharing = lockers(`${realPath(path)}-shm`, listed);
  if ([...lockers(path, listed)].some((pid) => !sharing.has(pid))) return true;
  // This process may have lost its locks, by closing the file elsewhere.
  return isOpenWithoutLog(process.pid, path);
}

/** Whether somebody has the file locked or, where no locks are listed, open; null: nobody can tell. */
export function isHeld(path: string): boolean | null {
  if (!existsSync(path)) return false;
  const listed = locks();
  if (listed.length > 0) return lockers(path, listed).size > 0;
  const pids = orNull(() => readdirSync('/proc'))?.filter((name) => /^\d+$/.test(name));
  return pids?.some((pid) => isOpenIn(Number(pid), path) === true) ?? null;
}

/** The log of a process whose file was moved from beside it; null where that is none or not the only one. */
export function logUnderOtherName(pid: number): string | null {
  const folder = `/proc/${pid}/fd`;
  const names = (orNull(() => readdirSync(folder)) ?? []).map((name) =>
    orNull(() => readlinkSync(`${folder}/${name}`)),
  );
  const logs = names.filter((name) => name?.endsWith('-wal') === true);
  const left = logs.filter((log) => !names.includes(log?.slice(0, -'-wal'.length) ?? null));
  return left.length === 1 ? (left[0] ?? null) : null;
}

function isOpenWithoutLog(pid: number, path: string): boolean {
  return isOpenIn(pid, path) === true && isOpenIn(pid, `${realPath(path)}-shm`) !== true;
}

/**
 * Whether a process has the file open to write it; null where the system does not tell. By its
 * descriptors, which its own user and root may see, else by the locks that SQLite holds as long as
 * it has the file open, which everybody may see.
 */
function isOpenIn(pid: number, path: string): boolean | null {
  const inode = inodeOf(path);
  if (inode === null) return null;
  const descriptors = orNull(() => readdirSync(`/proc/${pid}/fd`));
  if (descriptors !== null) {
    return descriptors.some(
      (name) => inodeOf(`/proc/${pid}/fd/${name}`) === inode && isWriting(pid, name),
    );
  }
  const locked = lockedInodes(pid);
  const isLocked = locked.has(inode) || locked.has(inodeOf(`${path}-shm`));
  return locked.size === 0 ? null : isLocked;
}

// By its number alone: through a container's file system the same file is on another device.
function inodeOf(path: string): number | null {
  const found = orNull(() => statSync(path));
  return found?.isFile() === true ? found.ino : null;
}

// proc_pid_fdinfo(5): the flags of open(2), octal; of two readers in this process neither writes.
function isWriting(pid: number, descriptor: string): boolean {
  const [, flags = '0'] =
    /^flags:\s*(\d+)/m.exec(readText(`/proc/${pid}/fdinfo/${descriptor}`) ?? '') ?? [];
  return Number.parseInt(flags, 8) % 4 !== 0;
}

function lockedInodes(pid: number): ReadonlySet<number | null> {
  return new Set(locks().flatMap((lock) => (lock.pid === String(pid) ? lock.inode : [])));
}

function lockers(path: string, listed: readonly Lock[]): ReadonlySet<string> {
  const inode = inodeOf(path);
  return new Set(listed.flatMap((lock) => (lock.inode === inode ? lock.pid : [])));
}

interface Lock {
  pid: string;
  inode: number;
}

// proc_locks(5): `5: POSIX  ADVISORY  READ 1234 fe:00:2182287 128 128`; one that waits has an arrow.
function locks(): Lock[] {
  return (readText('/proc/locks') ?? '').split('\n').flatMap((line) => {
    const [, kind, , , pid = '', file = ''] = line.split(/\s+/);
    return kind === 'POSIX' ? { pid, inode: Number(file.split(':')[2]) } : [];
  });
}

function realPath(path: string): string {
  return orNull(() => realpathSync(path)) ?? path;
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

/** Null where there is no /proc (macOS), or the process is gone or hidden. */
function readText(file: string): string | null {
  return orNull(() => readFileSync(file, 'latin1'));
}
