import type { MachineFacts } from '../../model/session.ts';
import type { CgroupLocation } from '../cgroup/locate-cgroup.ts';
import type { KernelUnits } from '../procfs/machine-files.ts';

/** What whoever starts a light sampler knows of the session; it is handed through to its frames. */
export interface LightHead {
  format: 1;
  /**
   * `perl`: kept files, and of a process only what changed. `shell`: all of them in every frame, and a
   * process that is not named is gone.
   */
  sampler: 'perl' | 'shell';
  sessionId: string;
  source: string;
  intervalMs: number;
  labels: Readonly<Record<string, string>>;
  machine: Pick<MachineFacts, 'bootId' | 'kernel' | 'hostName' | 'cpuCount'> & KernelUnits;
  /** Where the session's memory cgroup is; null where there is none. */
  cgroup: CgroupLocation | null;
  collectorVersion: string;
}

/** The head that a line of frames holds; null for anything else. */
export function parseLightHead(json: string): LightHead | null {
  try {
    const head: unknown = JSON.parse(json);
    return isHead(head) ? head : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

// It was written by this program: what counts is whether it is whole, and of this format.
function isHead(head: unknown): head is LightHead {
  if (typeof head !== 'object' || head === null) return false;
  const { format, sampler, sessionId, source, intervalMs, labels, machine, cgroup } = {
    ...(head as Partial<LightHead>),
  };
  return (
    format === 1 &&
    (sampler === 'perl' || sampler === 'shell') &&
    typeof sessionId === 'string' &&
    typeof source === 'string' &&
    typeof intervalMs === 'number' &&
    intervalMs > 0 &&
    typeof labels === 'object' &&
    labels !== null &&
    typeof machine === 'object' &&
    machine !== null &&
    isCount(machine.pageSizeBytes) &&
    isCount(machine.clockTicksPerSecond) &&
    (cgroup === null || Array.isArray(cgroup?.levels))
  );
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
