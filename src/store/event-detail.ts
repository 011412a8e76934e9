import {
  type GuestProcess,
  guestEndSources,
  guestStates,
  type LimitWarning,
  type VmChange,
} from '../model/agentos.ts';
import { HeadroomError } from '../model/errors.ts';
import type {
  Gap,
  LimitChange,
  Note,
  OomCounterJump,
  OomKill,
  ProcessExit,
  RecordingEvent,
} from '../model/event.ts';
import type { PagePlacement, TargetCrash } from '../model/page-event.ts';
import { processRoles } from '../model/process-role.ts';
import { checkShape, type FieldShape, type RowShape } from './row-shape.ts';

/** Puts an event together from its columns and the JSON of `detail`. FILE_CORRUPT when it is none. */
export function eventOf(row: {
  timeUnixMs: number | null;
  kind: string;
  detail: string;
}): RecordingEvent {
  const { detail, ...columns } = row;
  const shape = shapes.get(row.kind);
  const fields: unknown = JSON.parse(detail);
  if (shape === undefined || typeof fields !== 'object' || fields === null) {
    const what = shape === undefined ? `an unknown kind (${row.kind})` : 'no details';
    throw new HeadroomError('FILE_CORRUPT', `an event has ${what}`);
  }
  const event: Record<string, unknown> = { ...columns, ...fields };
  checkShape(event, shape, `an event (${row.kind})`);
  return event as unknown as RecordingEvent;
}

const oomKill: RowShape<OomKill> = {
  kind: 'string',
  timeUnixMs: 'number?',
  kernelMs: 'number?',
  kmsgSequence: 'number?',
  pid: 'number',
  comm: 'string',
  uid: 'number?',
  rssBytes: 'number?',
  anonBytes: 'number?',
  fileBytes: 'number?',
  shmemBytes: 'number?',
  totalVmBytes: 'number?',
  pageTablesBytes: 'number?',
  oomScoreAdj: 'number?',
  scope: ['machine', 'cgroup', 'cpuset', 'mempolicy', 'unknown'],
  constraint: 'string?',
  cgroup: 'string?',
  taskCgroup: 'string?',
  triggerPid: 'number?',
  triggerComm: 'string?',
  cgroupUsageBytes: 'number?',
  cgroupLimitBytes: 'number?',
  tasksListed: 'number?',
  largestOtherPid: 'number?',
  largestOtherComm: 'string?',
  largestOtherRssBytes: 'number?',
  oomGroup: 'string?',
  context: ['full', 'kill_line_only', 'summary_line_only', 'telemetry'],
  beforeStart: 'boolean',
};
const processExit: RowShape<ProcessExit> = {
  kind: 'string',
  timeUnixMs: 'number',
  pid: 'number',
  startTicks: 'number?',
  role: processRoles,
  exitCode: 'number?',
  signal: 'string?',
  source: ['parent', 'connector', 'vanished', 'owner'],
};
const gap: RowShape<Gap> = {
  kind: 'string',
  gap: ['standby', 'clock_step', 'stall', 'restart', 'lost'],
  fromUnixMs: 'number',
  toUnixMs: 'number',
  timeUnixMs: 'number',
  wallMs: 'number',
  monotonicMs: 'number',
};
const limitChange: RowShape<LimitChange> = {
  kind: 'string',
  timeUnixMs: 'number',
  fromBytes: 'number',
  toBytes: 'number',
};
const oomCounter: RowShape<OomCounterJump> = {
  kind: 'string',
  timeUnixMs: 'number',
  counter: ['machine', 'cgroup'],
  count: 'number',
};
const page: RowShape<PagePlacement> = {
  kind: 'string',
  timeUnixMs: 'number',
  targetId: 'string',
  targetType: 'string',
  pageTargetId: 'string?',
  url: 'string?',
  state: ['placed', 'unknown', 'gone'],
  pid: 'number?',
  startTicks: 'number?',
};
const targetCrash: RowShape<TargetCrash> = {
  kind: 'string',
  timeUnixMs: 'number',
  targetId: 'string',
  targetType: 'string',
  url: 'string?',
  status: 'string',
  errorCode: 'number',
  pid: 'number?',
  startTicks: 'number?',
};
const guestProcess: RowShape<GuestProcess> = {
  kind: 'string',
  timeUnixMs: 'number',
  change: ['seen', 'state', 'parent', 'ended'],
  processId: 'string',
  pid: 'number?',
  parentPid: 'number?',
  groupPid: 'number?',
  sessionPid: 'number?',
  state: guestStates,
  command: 'string?',
  startedUnixMs: 'number?',
  exitCode: 'number?',
  endSource: [...guestEndSources, null],
};
const limitWarning: RowShape<LimitWarning> = {
  kind: 'string',
  timeUnixMs: 'number',
  limit: 'string',
  category: 'string',
  observed: 'number?',
  capacity: 'number?',
  fillRatio: 'number?',
  vmCount: 'number?',
};
const vm: RowShape<VmChange> = {
  kind: 'string',
  timeUnixMs: 'number',
  state: ['attached', 'detached', 'disposed', 'lost'],
  vmId: 'string',
  sidecarPid: 'number?',
  sidecarStartTicks: 'number?',
  vmCount: 'number?',
  exitCode: 'number?',
  signal: 'string?',
  message: 'string?',
};
const note: RowShape<Note> = {
  kind: 'string',
  timeUnixMs: 'number',
  code: 'string',
  message: 'string',
};

const shapes = new Map<string, Readonly<Record<string, FieldShape>>>(
  Object.entries({
    oom_kill: oomKill,
    process_exit: processExit,
    gap,
    limit_change: limitChange,
    oom_counter: oomCounter,
    page,
    target_crash: targetCrash,
    guest_process: guestProcess,
    limit_warning: limitWarning,
    vm,
    note,
  } satisfies Record<RecordingEvent['kind'], object>),
);
