import type { AgentOsReading } from '../../model/agentos.ts';
import type { GuestRow } from './guest-row.ts';
import { field } from './vm-handle.ts';

type SidecarFigure =
  | 'sidecarRssBytes'
  | 'sidecarPeakRssBytes'
  | 'sidecarCpuMs'
  | 'sidecarThreadCount';

/** What the VM and the sidecar's queues tell; the sidecar's memory the kernel tells. */
export type VmCounters = Omit<AgentOsReading, SidecarFigure>;

/** Nothing is known. */
export const noCounters: VmCounters = {
  processCount: null,
  stoppedCount: null,
  openFdCount: null,
  pipeCount: null,
  ptyCount: null,
  socketCount: null,
  connectionCount: null,
  processLimit: null,
  openFdLimit: null,
  pipeLimit: null,
  ptyLimit: null,
  socketLimit: null,
  connectionLimit: null,
  filesystemBytes: null,
  filesystemLimitBytes: null,
  inodeCount: null,
  inodeLimit: null,
  sidecarVmCount: null,
  sidecarV8SessionCount: null,
  sidecarV8CpuMaxMs: null,
  sidecarV8CpuLimitMs: null,
};

/**
 * The answer of `getResourceSnapshot`: its counters are of the VM, its `queueSnapshots` of the whole
 * sidecar, with rows of the same name for each VM and no name of one. They are this VM's only where it
 * is alone. The depth of a row may lag; what has a counter of its own is taken from that.
 */
export function vmCountersOf(
  answer: unknown,
  { rows, vmCount }: { rows: readonly GuestRow[] | null; vmCount: number | null },
): VmCounters {
  const living = rows?.filter(({ state }) => state !== 'exited') ?? null;
  const counter = (name: string) => numberOf(field(answer, name));
  const queues = queuesOf(field(answer, 'queueSnapshots'));
  const own = (name: string) => {
    const found = queues?.filter((queue) => queue.name === name) ?? [];
    return vmCount === 1 && found.length === 1 ? found[0] : undefined;
  };
  const v8 = queues?.filter(({ name }) => name === 'v8_cpu_time_ms') ?? null;
  return {
    processCount: living?.length ?? null,
    stoppedCount: living?.filter(({ state }) => state === 'stopped').length ?? null,
    openFdCount: counter('openFds'),
    pipeCount: counter('pipes'),
    ptyCount: counter('ptys'),
    socketCount: counter('sockets'),
    connectionCount: counter('socketConnections'),
    processLimit: own('vm_processes')?.capacity ?? null,
    openFdLimit: own('vm_open_fds')?.capacity ?? null,
    pipeLimit: own('vm_pipes')?.capacity ?? null,
    ptyLimit: own('vm_ptys')?.capacity ?? null,
    socketLimit: own('vm_sockets')?.capacity ?? null,
    connectionLimit: own('vm_connections')?.capacity ?? null,
    filesystemBytes: own('vm_filesystem_bytes')?.depth ?? null,
    filesystemLimitBytes: own('vm_filesystem_bytes')?.capacity ?? null,
    inodeCount: own('vm_inodes')?.depth ?? null,
    inodeLimit: own('vm_inodes')?.capacity ?? null,
    sidecarVmCount: vmCount,
    sidecarV8SessionCount: v8?.length ?? null,
    sidecarV8CpuMaxMs: greatest(v8?.map(({ depth }) => depth) ?? []),
    sidecarV8CpuLimitMs: greatest(v8?.map(({ capacity }) => capacity) ?? []),
  };
}

interface Queue {
  name: string;
  depth: number | null;
  capacity: number | null;
}

function queuesOf(value: unknown): Queue[] | null {
  if (!Array.isArray(value)) return null;
  return value.map((entry) => ({
    name: String(field(entry, 'name')),
    depth: numberOf(field(entry, 'depth')),
    capacity: numberOf(field(entry, 'capacity')),
  }));
}

function greatest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** Also of a text of digits, and of a 64-bit integer; null for anything else. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'bigint' || (typeof value === 'string' && /^\d+$/.test(value))) {
    return Number(value);
  }
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
