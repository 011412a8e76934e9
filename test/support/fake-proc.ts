import type { FileCalls } from '../../src/collector/procfs/proc-fs.ts';
import { ProcFs } from '../../src/collector/procfs/proc-fs.ts';

/** One process of {@link FakeProc}. Sizes as /proc has them: pages of 4 KiB, kB, ticks of 10 ms. */
export interface FakeProcess {
  startTicks: number;
  parentPid: number;
  comm: string;
  state: string;
  cmdline: string;
  /** Path of the executable; null: readlink gives ENOENT, as for a zombie. */
  exe: string | null;
  isKernelThread: boolean;
  /** 0 for all three: no memory of its own. */
  sizePages: number;
  residentPages: number;
  sharedPages: number;
  shmemKb: number;
  peakRssKb: number;
  swapKb: number;
  /** Null: reading smaps_rollup gives ESRCH, as for a zombie. */
  pssKb: number | null;
  utimeTicks: number;
  stimeTicks: number;
  majorFaults: number;
  threads: number;
  oomScoreAdj: number;
  /** The lines of `cgroup`. */
  cgroup: string;
  descriptors: number;
  readBytes: number;
  writtenBytes: number;
  /** Bytes that replace what would be made from the fields above, by file name. */
  files: Readonly<Record<string, string | Buffer>>;
  /** Errors by file name: at open, or at read of an open file. */
  faults: Readonly<Record<string, string | { read: string }>>;
}

const machineFiles: Readonly<Record<string, string>> = {
  meminfo: [
    'MemTotal:        1048576 kB',
    'MemFree:          400000 kB',
    'MemAvailable:     600000 kB',
    'Buffers:           10000 kB',
    'Cached:           200000 kB',
    'Inactive(file):   150000 kB',
    'SwapTotal:             0 kB',
    'SwapFree:              0 kB',
    'AnonPages:        300000 kB',
    'Shmem:              2000 kB',
    'SUnreclaim:        20000 kB',
    'KernelStack:        3000 kB',
    'PageTables:         7000 kB',
    '',
  ].join('\n'),
  vmstat: 'workingset_refault_anon 1\nworkingset_refault_file 2\npgmajfault 3\noom_kill 0\n',
  stat: 'cpu  100 0 50 1000 5 0 0 0 0 0\nprocesses 4000\n',
  uptime: '3000.00 5000.00\n',
  'pressure/memory': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull total=0\n',
  'pressure/cpu': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n',
  'pressure/io': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull total=0\n',
};

interface OpenFile {
  name: string;
  /** The process it was opened of: after its end and after reuse of its pid, reads give ESRCH. */
  process: FakeProcess | null;
}

/**
 * A /proc in memory behind the file calls of {@link ProcFs}, with errors as they were measured on
 * Linux 6.18 (case 005): opening a file of a process that is gone gives ENOENT, reading a kept
 * descriptor of it ESRCH, also when another process has its pid by now.
 */
export class FakeProc {
  readonly processes = new Map<number, FakeProcess>();
  readonly machine: Record<string, string> = { ...machineFiles };
  /** Errors by path below the root, at open (`meminfo`) or for `/` when the root is listed. */
  readonly faults = new Map<string, string>();
  /** As RLIMIT_NOFILE: opening more gives EMFILE. */
  mostOpen = Number.POSITIVE_INFINITY;
  /** As since Linux 6.2: the size of `fd` is the number of its entries; before it is 0. */
  hasDescriptorSizes = true;
  /** How often each file (`7/stat`) was read. */
  readonly readCounts = new Map<string, number>();
  /** How often the root was listed. */
  listCount = 0;
  readonly procFs: ProcFs;
  readonly #open = new Map<number, OpenFile>();
  #nextFd = 100;

  constructor() {
    this.procFs = new ProcFs('/fake', this.#calls as unknown as FileCalls);
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Adds a process, or puts another one in place of it: a reuse of the pid. */
  start(pid: number, parts: Partial<FakeProcess> = {}): FakeProcess {
    const process: FakeProcess = {
      startTicks: pid * 10,
      parentPid: 1,
      comm: 'node',
      state: 'S',
      cmdline: '/usr/bin/node\0task.js\0',
      exe: '/usr/bin/node',
      isKernelThread: false,
      sizePages: 20_000,
      residentPages: 5_000,
      sharedPages: 2_000,
      shmemKb: 0,
      peakRssKb: 20_000,
      swapKb: 0,
      pssKb: 15_000,
      utimeTicks: 0,
      stimeTicks: 0,
      majorFaults: 0,
      threads: 1,
      oomScoreAdj: 0,
      cgroup: '0::/\n',
      descriptors: 3,
      readBytes: 0,
      writtenBytes: 0,
      files: {},
      faults: {},
      ...parts,
    };
    this.processes.set(pid, process);
    return process;
  }

  /** Changes a process that lives: an exec, a new name, growth. */
  change(pid: number, parts: Partial<FakeProcess>): void {
    Object.assign(this.#process(pid), parts);
  }

  /** It dies and stays as a zombie, as nobody waits for it. */
  becomeZombie(pid: number): void {
    this.change(pid, { state: 'Z', cmdline: '', exe: null, pssKb: null, ...noMemory });
  }

  end(pid: number): void {
    this.processes.delete(pid);
  }

  #process(pid: number): FakeProcess {
    const process = this.processes.get(pid);
    if (process === undefined) throw new Error(`there is no process ${pid}`);
    return process;
  }

  readonly #calls = {
    openSync: (path: string): number => {
      const name = path.slice('/fake/'.length);
      if (this.#open.size >= this.mostOpen) throw systemError('EMFILE');
      const fault = this.faults.get(name);
      if (fault !== undefined) throw systemError(fault);
      this.#open.set(this.#nextFd, { name, process: this.#openable(name) });
      return this.#nextFd++;
    },
    readvSync: (fd: number, [buffer]: [Buffer], position: number): number => {
      const file = this.#open.get(fd);
      if (file === undefined) throw systemError('EBADF');
      this.readCounts.set(file.name, (this.readCounts.get(file.name) ?? 0) + 1);
      return this.#content(file).copy(buffer, 0, position);
    },
    closeSync: (fd: number): void => {
      if (!this.#open.delete(fd)) throw systemError('EBADF');
    },
    statSync: (path: string): { size: number } => {
      const process = this.#openable(path.slice('/fake/'.length));
      return { size: this.hasDescriptorSizes ? (process?.descriptors ?? 0) : 0 };
    },
    readdirSync: (path: string): string[] => {
      if (path.endsWith('/fd')) {
        const process = this.#openable(path.slice('/fake/'.length));
        return Array.from({ length: process?.descriptors ?? 0 }, (_, fd) => String(fd));
      }
      const fault = this.faults.get('/');
      if (fault !== undefined) throw systemError(fault);
      this.listCount++;
      const pids = [...this.processes.keys()].sort((a, b) => a - b);
      return ['acpi', ...pids.map(String), 'self', 'uptime'];
    },
    readlinkSync: (path: string): string => {
      const [pid = '', name] = path.slice('/fake/'.length).split('/');
      const process = this.processes.get(Number(pid));
      const fault = process?.faults['exe'];
      if (typeof fault === 'string') throw systemError(fault);
      if (name !== 'exe' || process === undefined || process.exe === null) {
        throw systemError('ENOENT');
      }
      return process.exe;
    },
  };

  #openable(name: string): FakeProcess | null {
    if (this.machine[name] !== undefined) return null;
    const [pid = '', file = ''] = name.split('/');
    const process = this.processes.get(Number(pid));
    if (process === undefined) throw systemError('ENOENT');
    const fault = process.faults[file];
    if (typeof fault === 'string') throw systemError(fault);
    return process;
  }

  #content({ name, process }: OpenFile): Buffer {
    if (process === null) return Buffer.from(this.machine[name] ?? '', 'latin1');
    const [pid = '', file = ''] = name.split('/');
    if (this.processes.get(Number(pid)) !== process) throw systemError('ESRCH');
    const fault = process.faults[file];
    if (typeof fault === 'object') throw systemError(fault.read);
    const raw = process.files[file];
    if (raw !== undefined) return Buffer.from(raw);
    return Buffer.from(processFile(Number(pid), process, file), 'latin1');
  }
}

const noMemory = { sizePages: 0, residentPages: 0, sharedPages: 0 };

// proc_pid_stat(5), proc_pid_statm(5), proc_pid_status(5), proc_pid_io(5), filesystems/proc.rst
function processFile(pid: number, process: FakeProcess, file: string): string {
  switch (file) {
    case 'stat': {
      const { comm, state, parentPid, startTicks } = process;
      const flags = process.isKernelThread ? 0x00208040 : 0x00400000;
      const faults = `0 0 ${process.majorFaults} 0`;
      const times = `${process.utimeTicks} ${process.stimeTicks} 0 0`;
      const memory = `${process.sizePages * 4096} ${process.residentPages}`;
      return `${pid} (${comm}) ${state} ${parentPid} ${pid} ${pid} 0 -1 ${flags} ${faults} ${times} 20 0 ${process.threads} 0 ${startTicks} ${memory} 18446744073709551615 0\n`;
    }
    case 'statm':
      return `${process.sizePages} ${process.residentPages} ${process.sharedPages} 0 0 0 0\n`;
    case 'status':
      return process.sizePages === 0
        ? `Name:\t${process.comm}\nState:\t${process.state} (zombie)\nPid:\t${pid}\n`
        : `Name:\t${process.comm}\nVmHWM:\t${process.peakRssKb} kB\nRssShmem:\t${process.shmemKb} kB\nVmSwap:\t${process.swapKb} kB\n`;
    case 'oom_score_adj':
      return `${process.oomScoreAdj}\n`;
    case 'cgroup':
      return process.cgroup;
    case 'io':
      return `rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: ${process.readBytes}\nwrite_bytes: ${process.writtenBytes}\ncancelled_write_bytes: 5\n`;
    case 'cmdline':
      return process.cmdline;
    case 'smaps_rollup':
      if (process.pssKb === null) throw systemError('ESRCH');
      return `00400000-7ffc0000 ---p 00000000 00:00 0    [rollup]\nRss:     1 kB\nPss:     ${process.pssKb} kB\nPss_Anon:    1000 kB\nPss_File:    100 kB\nPss_Shmem:    10 kB\nSwap:    0 kB\n`;
    default:
      throw systemError('ENOENT');
  }
}

export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
