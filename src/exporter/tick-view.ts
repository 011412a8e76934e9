import type { AgentOsReading } from '../model/agentos.ts';
import type { CgroupMemory } from '../model/sample.ts';
import {
  availableBytes,
  bindingCgroup,
  sessionLimit,
  type Tick,
  utilizationRatio,
  workingSetBytes,
} from '../model/session-memory.ts';

/** Figures that are computed from one tick. */
export interface SessionFigures {
  limitBytes: number;
  availableBytes: number | null;
  workingSetBytes: number | null;
  utilizationRatio: number | null;
  /** The kernel's high-water mark of the cgroup that binds, else the largest working set so far. */
  peakBytes: number | null;
  /** MemTotal − MemAvailable, as `free` of procps 4 prints it and semantic conventions 1.45 ask. */
  machineUsedBytes: number | null;
  machineUsedRatio: number | null;
  swapUsedBytes: number | null;
  /** Of the cgroup that binds; null where the machine does. */
  containerWorkingSetBytes: number | null;
  /** Its limit less its working set. */
  containerAvailableBytes: number | null;
}

/** A tick with everything that the catalogue can name a metric after. */
export interface TickView extends Tick {
  session: SessionFigures;
  /** The cgroup, only where its limit binds. */
  container: CgroupMemory | null;
  /** Null where no VM is recorded. */
  agentOs: AgentOsReading | null;
}

type FieldGroup =
  | 'machine'
  | 'container'
  | 'cgroup'
  | 'pressure'
  | 'activity'
  | 'browser'
  | 'collector'
  | 'agentOs'
  | 'session';
type FieldsOf<T> = { [K in keyof T]: T[K] extends number | null ? K : never }[keyof T] & string;

/** Path of a number in a {@link TickView}, such as `machine.totalBytes`. */
export type TickField = {
  [G in FieldGroup]: `${G}.${FieldsOf<NonNullable<TickView[G]>>}`;
}[FieldGroup];

/** `largestWorkingSetBytes` is that of the session up to and with this tick. */
export function viewOf(tick: Tick, largestWorkingSetBytes: number | null): TickView {
  const { machine } = tick;
  const container = bindingCgroup(tick);
  const containerWorkingSetBytes = container === null ? null : workingSetBytes(tick);
  const machineUsedBytes = difference(machine.totalBytes, machine.availableBytes);
  return {
    ...tick,
    container,
    agentOs: tick.agentOs ?? null,
    session: {
      limitBytes: sessionLimit(tick).bytes,
      availableBytes: availableBytes(tick),
      workingSetBytes: workingSetBytes(tick),
      utilizationRatio: utilizationRatio(tick),
      peakBytes: container?.peakBytes ?? largestWorkingSetBytes,
      machineUsedBytes,
      machineUsedRatio: machineUsedBytes === null ? null : machineUsedBytes / machine.totalBytes,
      swapUsedBytes: difference(machine.swapTotalBytes, machine.swapFreeBytes),
      containerWorkingSetBytes,
      containerAvailableBytes: difference(container?.limitBytes ?? null, containerWorkingSetBytes),
    },
  };
}

/** Reads one field; null where this machine did not tell. */
export function fieldReader(field: TickField): (view: TickView) => number | null {
  const dot = field.indexOf('.');
  const group = field.slice(0, dot);
  const name = field.slice(dot + 1);
  return (view) => {
    const part: unknown = Reflect.get(view, group);
    if (typeof part !== 'object' || part === null) return null;
    const value: unknown = Reflect.get(part, name);
    return typeof value === 'number' ? value : null;
  };
}

function difference(whole: number | null, part: number | null): number | null {
  return whole === null || part === null ? null : Math.max(0, whole - part);
}
