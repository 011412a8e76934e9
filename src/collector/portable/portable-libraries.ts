import type { Systeminformation } from 'systeminformation';

/** Figures in bytes. */
export type LibraryMemory = Pick<
  Systeminformation.MemData,
  'total' | 'free' | 'available' | 'buffers' | 'cached' | 'swaptotal' | 'swapfree'
>;

export type LibraryProcess = Pick<
  Systeminformation.ProcessesProcessData,
  'pid' | 'parentPid' | 'path' | 'command' | 'params' | 'state'
>;

/** Bytes; ms of CPU time, ms since the start, and when it was read. */
export interface LibraryUsage {
  memory: number;
  ctime: number;
  elapsed: number;
  timestamp: number;
}

/** What is used of systeminformation (memory, the list of processes) and pidusage (their figures). */
export interface PortableLibraries {
  memory(): Promise<LibraryMemory>;
  /** Empty when `ps` failed: systeminformation does not tell why. */
  processes(): Promise<LibraryProcess[]>;
  /** By pid; nothing for a process that is gone. Rejects when `ps` failed. */
  usage(pids: number[]): Promise<Readonly<Record<string, LibraryUsage | null | undefined>>>;
  close(): void;
}

/** Loads both when they are needed: the recorder on Linux never pays for them. */
export async function loadPortableLibraries(): Promise<PortableLibraries> {
  const [{ default: systeminformation }, { default: pidusage }] = await Promise.all([
    import('systeminformation'),
    import('pidusage'),
  ]);
  return {
    memory: () => systeminformation.mem(),
    processes: async () => (await systeminformation.processes()).list,
    usage: (pids) => pidusage(pids),
    close: () => pidusage.clear(),
  };
}
