import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type {
  AgentOsReading,
  GuestProcess,
  LimitWarning,
  VmChange,
} from '../../src/model/agentos.ts';

/** What a real VM said, by scenario (test/fixtures/agentos/record.mjs). */
export interface RecordedEntry {
  ms: number;
  what: string;
  value: unknown;
}

export function recordedScenario(name: string): RecordedEntry[] {
  const file = new URL('../fixtures/agentos/recorded.json', import.meta.url);
  const scenarios: Record<string, RecordedEntry[]> = JSON.parse(readFileSync(file, 'utf8'));
  const scenario = scenarios[name];
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  return scenario;
}

/** A row of `getProcessSnapshot`. */
export function snapshotRow(changed: Partial<Record<string, unknown>> = {}): object {
  return {
    processId: 'proc-1000000',
    pid: 1,
    ppid: 0,
    pgid: 1,
    sid: 1,
    driver: 'agentos-native-sidecar-execution',
    command: 'node',
    args: [],
    cwd: '/workspace',
    status: 'running',
    exitCode: null,
    ...changed,
  };
}

/** A frame of this VM, or of the connection. */
export function frameOf(payload: object, vmId: string | null = 'vm-1'): object {
  const connection = { connection_id: 'conn-1' };
  const ownership =
    vmId === null
      ? { scope: 'connection', ...connection }
      : { scope: 'vm', ...connection, session_id: 'session-1', vm_id: vmId };
  return {
    frame_type: 'event',
    schema: { name: 'agentos-native-sidecar', version: 8 },
    ownership,
    payload,
  };
}

/** An object with the parts of an AgentOs that are read, which answers what it is told to. */
export class FakeVm {
  readonly child = Object.assign(new EventEmitter(), {
    pid: process.pid,
    exitCode: null as number | null,
    signalCode: null as string | null,
  });
  readonly handlers = new Set<(frame: unknown) => void>();
  vmCount = 1;
  readonly started = new Map<number, object>();
  processes: () => unknown = () => [];
  resources: () => unknown = () => ({ queueSnapshots: [] });

  /** What `AgentOs.create` would have returned. */
  get agentOs(): object {
    return {
      _sidecarClient: {
        getProcessSnapshot: async () => this.processes(),
        getResourceSnapshot: async () => this.resources(),
        onEvent: (handler: (frame: unknown) => void) => {
          this.handlers.add(handler);
          return () => this.handlers.delete(handler);
        },
        protocolClient: { child: this.child },
      },
      _sidecarSession: { connectionId: 'conn-1', sessionId: 'session-1' },
      _sidecarVm: { vmId: 'vm-1' },
      sidecar: { describe: () => ({ state: 'ready', activeVmCount: this.vmCount }) },
      process: {
        get: async (pid: number) => {
          const started = this.started.get(pid);
          if (started === undefined) throw new Error(`Process not found: ${pid}`);
          return started;
        },
      },
    };
  }

  hear(frame: unknown): void {
    for (const handler of this.handlers) handler(frame);
  }

  /** Its sidecar dies, or is let go (code 0). */
  exit(code: number | null, signal: string | null): void {
    Object.assign(this.child, { exitCode: code, signalCode: signal });
    this.child.emit('exit', code, signal);
  }
}

/** What a VM with three guests, alone on its sidecar, said at a tick. */
export function agentOsReading(changed: Partial<AgentOsReading> = {}): AgentOsReading {
  return {
    processCount: 3,
    stoppedCount: 0,
    openFdCount: 12,
    pipeCount: 3,
    ptyCount: 0,
    socketCount: 0,
    connectionCount: 0,
    processLimit: 256,
    openFdLimit: 256,
    pipeLimit: 128,
    ptyLimit: 128,
    socketLimit: 256,
    connectionLimit: 256,
    filesystemBytes: 185_329,
    filesystemLimitBytes: 67_108_864,
    inodeCount: 366,
    inodeLimit: 16_384,
    sidecarVmCount: 1,
    sidecarV8SessionCount: 3,
    sidecarV8CpuMaxMs: 43,
    sidecarV8CpuLimitMs: 30_000,
    sidecarRssBytes: 286_261_248,
    sidecarPeakRssBytes: 294_649_856,
    sidecarCpuMs: 3_200,
    sidecarThreadCount: 19,
    ...changed,
  };
}

/** A guest that was just met. */
export function guestChange(changed: Partial<GuestProcess> = {}): GuestProcess {
  return {
    kind: 'guest_process',
    timeUnixMs: 1_700_000_000_000,
    change: 'seen',
    processId: 'proc-1000000',
    pid: 1,
    parentPid: 0,
    groupPid: 1,
    sessionPid: 1,
    state: 'running',
    command: 'node',
    startedUnixMs: null,
    exitCode: null,
    endSource: null,
    ...changed,
  };
}

/** The heap of a guest is used up. */
export function limitWarning(changed: Partial<LimitWarning> = {}): LimitWarning {
  return {
    kind: 'limit_warning',
    timeUnixMs: 1_700_000_000_000,
    limit: 'v8_heap_bytes',
    category: 'memory',
    observed: 63_963_136,
    capacity: 63_963_136,
    fillRatio: 1,
    vmCount: 1,
    ...changed,
  };
}

/** The VM is recorded. */
export function vmChange(changed: Partial<VmChange> = {}): VmChange {
  return {
    kind: 'vm',
    timeUnixMs: 1_700_000_000_000,
    state: 'attached',
    vmId: 'vm-1',
    sidecarPid: 4711,
    sidecarStartTicks: 99,
    vmCount: 1,
    exitCode: null,
    signal: null,
    message: null,
    ...changed,
  };
}
