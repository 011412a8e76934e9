import type { Note } from '../../model/event.ts';
import type { Sample } from '../../model/sample.ts';
import type { ProcFs } from '../procfs/proc-fs.ts';
import { processCgroup } from '../procfs/process-cgroup.ts';
import type { EventSource } from '../recorder.ts';
import type { CgroupLocation } from './locate-cgroup.ts';
import type { SessionCgroup } from './session-cgroup.ts';

export interface FollowerSources {
  proc: ProcFs;
  /** `--pid`: this process is the browser, and its cgroup is the one that is read; null: none. */
  rootPid: number | null;
  /** Where the cgroup of a process is, as its path in `/proc/<pid>/cgroup` is seen from here; null: out of sight. */
  locate(pid: number): CgroupLocation | null;
}

// At the 1st, 2nd, 4th, 8th … sample from the one with a browser on, and from then on as seldom as this.
const seldomSamples = 60;
// PF_EXITING of a task's flags (proc_pid_stat(5), include/linux/sched.h).
const exiting = 0x4;
const none: readonly [] = [];

/**
 * Keeps the cgroup that is read to the one in which the recorded browser lives: launchers
 * (systemd-run --scope, a script that writes cgroup.procs) put it elsewhere after the recording has
 * begun. Before a browser is there the command, or the process of `--pid`, counts for it. Browsers
 * in several cgroups change nothing. Without a process to follow the machine is recorded, and stays it.
 */
export class CgroupFollower implements EventSource {
  readonly #cgroup: SessionCgroup;
  readonly #sources: FollowerSources;
  #pid: number | null;
  #hadBrowser = false;
  #everHadBrowser = false;
  /** A browser was seen in the cgroup that is read. */
  #isSettled = false;
  #everySamples = 1;
  #leftSamples = 1;
  /** In `/proc/<pid>/cgroup`, of what was looked at last. */
  #path: string | null = null;
  #untold: Pick<Note, 'code' | 'message'> | null = null;

  constructor(cgroup: SessionCgroup, sources: FollowerSources) {
    this.#cgroup = cgroup;
    this.#sources = sources;
    this.#pid = sources.rootPid;
  }

  /** The recorded command. */
  follow(pid: number): void {
    this.#pid = pid;
  }

  /** A move is told with the first sample that was read in the new cgroup. */
  read({ sample }: { sample: Sample }): readonly Note[] {
    if (this.#pid === null) return none;
    const notes = this.#tell(sample);
    const hasBrowser = sample.browser.processCount > 0;
    if (hasBrowser !== this.#hadBrowser) {
      this.#hadBrowser = hasBrowser;
      this.#everySamples = 1;
      this.#leftSamples = 1;
    }
    this.#leftSamples--;
    if (this.#leftSamples > 0) return notes;
    this.#leftSamples = this.#everySamples;
    this.#everySamples = Math.min(seldomSamples, 2 * this.#everySamples);
    this.#look(this.#pid, sample);
    return notes;
  }

  finish({ sample }: { sample: Sample }): readonly Note[] {
    return this.#tell(sample);
  }

  #tell({ timeUnixMs }: Sample): readonly Note[] {
    if (this.#untold === null) return none;
    const note: Note = { kind: 'note', timeUnixMs, ...this.#untold };
    this.#untold = null;
    return [note];
  }

  #look(pid: number, sample: Sample): void {
    const browsers = sample.processes.filter(isBrowser).map((browser) => browser.pid);
    this.#everHadBrowser ||= browsers.length > 0;
    // What started the browser lives on without it, and says nothing of where the next one will be.
    if (browsers.length === 0 && this.#everHadBrowser) return;
    const pids = browsers.length > 0 ? browsers : [pid];
    const found = this.#onlyPath(pids);
    if (found === null || found.path === this.#path || this.#isEnding(found.pid)) return;
    const location = this.#sources.locate(found.pid);
    const own = location?.levels[0];
    // Below what is mounted here its cgroup has no files: the root stands in for it, and is not it.
    if (location === null || own === undefined) return;
    if (own.path === '/' && found.path !== '/') return;
    const isElsewhere = own.directory !== this.#cgroup.directory;
    if (isElsewhere && !this.#cgroup.moveTo(location)) return;
    this.#path = found.path;
    if (isElsewhere) {
      const what = browsers.length > 0 ? 'the browser' : 'what is recorded';
      const isRoot = browsers.length === 0 && this.#sources.rootPid !== null;
      this.#untold = {
        code: this.#isSettled || isRoot ? 'cgroup_moved' : 'cgroup_found',
        message: `${what} (pid ${found.pid}) lives in the memory cgroup ${own.path}: from here on limit, memory and kills are those of it`,
      };
    }
    this.#isSettled ||= browsers.length > 0;
  }

  // What ends is in no cgroup any more: the kernel says `/` of it (v1), or `… (deleted)`.
  #isEnding(pid: number): boolean {
    const stat = this.#sources.proc.text(`${pid}/stat`) ?? '';
    const [, , , , , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return flags === undefined || (Number(flags) & exiting) !== 0;
  }

  // Null: they are in different ones, or none could be read.
  #onlyPath(pids: readonly number[]): { path: string; pid: number } | null {
    let only: { path: string; pid: number } | null = null;
    for (const pid of pids) {
      const path = processCgroup(this.#sources.proc.text(`${pid}/cgroup`) ?? '');
      if (path === null) continue;
      if (only !== null && only.path !== path) return null;
      only ??= { path, pid };
    }
    return only;
  }
}

// The first process of a browser of the session.
function isBrowser({ role, browserPid }: Sample['processes'][number]): boolean {
  return role === 'browser' && browserPid !== null;
}
