import type { KmsgCalls } from '../kmsg/kmsg-file.ts';
import type { FileCalls } from '../procfs/proc-fs.ts';
import type { LightFrame } from './frame-reader.ts';
import type { LightHead } from './light-head.ts';

/** Where the sampler found the files of the kernel; names in frames are below it, or begin with `/`. */
export const lightRoot = '/proc';

// Behind the name of a process in its stat, counted from its state.
const statField = {
  state: 0,
  majorFaults: 9,
  utime: 11,
  stime: 12,
  threads: 17,
  start: 19,
  rss: 21,
};
const changeLine = /^(\d+) (\S)((?: \d+){5})((?: \d+){3})?$/;
const goneLine = /^-(?:(\d+)|(\D.*))$/;
const processPath = /^(\d+)\/(\w+)$/;
const keyedLine = /^[A-Za-z][\w()]*(?=[ :])/;
const momentary = ['smaps_rollup'];

/**
 * The files of the kernel as they were when a frame was written, behind the calls by which the
 * collector reads files: so the same code reads them as on a live machine. Lines of a frame:
 *
 *     meminfo:MemFree: 400000 kB    a line of a file, as `grep -H` writes it. Of a file of the machine it
 *     /sys/fs/…/memory.stat:anon 1  takes the place of the one with the same word, or of all without one;
 *     7/stat:7 (node) S 1 …         of a process all lines in one frame are the file
 *     7 S 0 12 3 1 500[ 900 500 80] 7/stat changed: state, major faults, user and system time, threads, rss;
 *                                   and 7/statm, its first three figures
 *     -7, -meminfo                  process 7 is gone, or there is no such file, or not the rest of it
 */
export class LightFiles {
  readonly #head: LightHead;
  /** By path and first word. */
  readonly #machine = new Map<string, Map<string, string>>();
  /** By pid and name. */
  readonly #processes = new Map<string, Map<string, string>>();
  readonly #cgroupFolders: readonly string[];
  #kernelLog: string[] = [];
  readonly #open = new Map<number, string>();
  #nextFd = 3;

  constructor(head: LightHead) {
    this.#head = head;
    this.#cgroupFolders = head.cgroup?.levels.map(({ directory }) => `${directory}/`) ?? [];
  }

  apply({ isKey, lines }: LightFrame): void {
    if (isKey) {
      this.#machine.clear();
      this.#processes.clear();
    }
    for (const files of this.#processes.values()) for (const name of momentary) files.delete(name);
    const said = new Map<string, Map<string, string>>();
    for (const line of lines) {
      const [, pid, file] = goneLine.exec(line) ?? [];
      if (pid !== undefined) {
        this.#processes.delete(pid);
        said.delete(pid);
      } else if (file !== undefined) this.#machine.delete(placeOf(file));
      else if (!this.#change(line, said)) this.#takeLine(line, said);
    }
    if (this.#head.sampler === 'shell') this.#dropUnnamed(said);
    for (const [pid, files] of said) this.#merge(pid, files);
  }

  /** The pids whose smaps_rollup is of this very frame. */
  hasPss(pid: number): boolean {
    return this.#processes.get(String(pid))?.has('smaps_rollup') ?? false;
  }

  /** A file of the machine, below {@link lightRoot}; null when there is none. */
  text(name: string): string | null {
    return this.#content(`${lightRoot}/${name}`);
  }

  readonly calls: FileCalls = {
    openSync: (path) => {
      if (this.#content(path) === null) throw absent('ENOENT');
      this.#open.set(this.#nextFd, path);
      return this.#nextFd++;
    },
    readvSync: (fd, [buffer]) => {
      const content = this.#content(this.#open.get(fd) ?? '');
      if (content === null || buffer === undefined) throw absent('ESRCH');
      return buffer.write(content, 'latin1');
    },
    closeSync: (fd) => void this.#open.delete(fd),
    readdirSync: (path) => {
      if (path !== lightRoot) throw absent('ENOENT');
      return [...this.#processes.keys()].sort((a, b) => Number(a) - Number(b));
    },
    readlinkSync: (path) => this.#content(path) ?? fail('ENOENT'),
    statSync: () => fail('ENOENT'),
  };

  /** The records of the kernel's log, each once. */
  readonly kernelLogCalls: KmsgCalls = {
    openSync: () => {
      if (this.#head.sampler === 'shell') throw absent('a shell cannot');
      const errno = this.text('kmsg-error');
      return errno === null ? 0 : fail(errnoNames[errno.trim()] ?? `error ${errno.trim()}`);
    },
    readSync: (_, buffer) => {
      const record = this.#kernelLog.shift();
      if (record === undefined) throw absent('EAGAIN');
      return record === 'EPIPE' ? fail('EPIPE') : buffer.write(`${record}\n`, 'latin1');
    },
    closeSync: () => undefined,
  };

  #change(line: string, said: Map<string, Map<string, string>>): boolean {
    const [, pid = '', state, figures, memory] = changeLine.exec(line) ?? [];
    if (state === undefined || figures === undefined) return false;
    const files = filesOf(said, pid);
    const stat = files.get('stat') ?? this.#processes.get(pid)?.get('stat');
    if (stat !== undefined) files.set('stat', changed(stat, [state, ...figures.trim().split(' ')]));
    if (memory !== undefined) files.set('statm', `${memory.trim()} 0 0 0 0\n`);
    return true;
  }

  #takeLine(line: string, said: Map<string, Map<string, string>>): void {
    const folder = this.#cgroupFolders.find((each) => line.startsWith(each)) ?? '';
    const colon = line.indexOf(':', folder.length);
    if (colon < 0) return;
    const path = line.slice(0, colon);
    const content = line.slice(colon + 1);
    const [, pid, name = ''] = processPath.exec(path) ?? [];
    if (pid !== undefined) {
      const files = filesOf(said, pid);
      files.set(name, `${files.get(name) ?? ''}${this.#unescaped(name, content)}\n`);
    } else if (path === 'kmsg') this.#kernelLog.push(content);
    else {
      const place = placeOf(path);
      const key = keyedLine.exec(content)?.[0] ?? '';
      const keyed = this.#machine.get(place) ?? new Map<string, string>();
      this.#machine.set(place, keyed.set(key, content));
    }
  }

  // A shell holds no NUL.
  #unescaped(name: string, content: string): string {
    const isEscaped = this.#head.sampler === 'shell' && name === 'cmdline';
    return isEscaped ? content.replaceAll('\u0001', '\0') : content;
  }

  #dropUnnamed(said: Map<string, Map<string, string>>): void {
    for (const pid of this.#processes.keys()) {
      if (said.get(pid)?.has('stat') !== true) this.#processes.delete(pid);
    }
  }

  #merge(pid: string, files: Map<string, string>): void {
    const known = this.#processes.get(pid);
    const stat = files.get('stat') ?? known?.get('stat');
    // Nothing is known of a process without it.
    if (stat === undefined) return;
    const isSame = startOf(known?.get('stat')) === startOf(stat);
    this.#processes.set(pid, new Map([...((isSame && known) || []), ...files]));
  }

  #content(path: string): string | null {
    const [, pid = '', name = ''] = processPath.exec(path.slice(lightRoot.length + 1)) ?? [];
    const ofProcess = path.startsWith(`${lightRoot}/`) ? this.#processes.get(pid)?.get(name) : null;
    if (ofProcess != null) return withoutLastLineFeed(name, ofProcess);
    const keyed = this.#machine.get(path);
    return keyed === undefined ? null : `${[...keyed.values()].join('\n')}\n`;
  }
}

const errnoNames: Readonly<Record<string, string>> = { 1: 'EPERM', 2: 'ENOENT', 13: 'EACCES' };

function placeOf(path: string): string {
  return path.startsWith('/') ? path : `${lightRoot}/${path}`;
}

function filesOf(said: Map<string, Map<string, string>>, pid: string): Map<string, string> {
  const files = said.get(pid) ?? new Map<string, string>();
  said.set(pid, files);
  return files;
}

/** The stat line with new figures. What is not known of it is what it was. */
function changed(stat: string, figures: readonly string[]): string {
  const behindName = stat.lastIndexOf(')') + 2;
  const fields = stat.slice(behindName).trimEnd().split(' ');
  const { state, majorFaults, utime, stime, threads, rss } = statField;
  for (const [index, field] of [state, majorFaults, utime, stime, threads, rss].entries()) {
    fields[field] = figures[index] ?? '';
  }
  return `${stat.slice(0, behindName)}${fields.join(' ')}\n`;
}

function startOf(stat: string | undefined): string | undefined {
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[statField.start];
}

// These two end as they are; the others end with a line.
function withoutLastLineFeed(name: string, content: string): string {
  return name === 'cmdline' || name === 'exe' ? content.slice(0, -1) : content;
}

function absent(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function fail(code: string): never {
  throw absent(code);
}
