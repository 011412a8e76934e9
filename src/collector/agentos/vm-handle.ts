import { HeadroomError } from '../../model/errors.ts';

/** What is used of a VM of agentOS: of its client to the sidecar, and of the sidecar itself. */
export interface VmHandle {
  vmId: string;
  /** The process table of the VM (`getProcessSnapshot`), as it comes. */
  processes(): Promise<unknown>;
  /** Its counters, and the queues of the whole sidecar (`getResourceSnapshot`), as they come. */
  resources(): Promise<unknown>;
  /** Frames of every VM of the sidecar; gives what ends the subscription. */
  onEvent(handler: (frame: unknown) => void): () => void;
  /** VMs on the sidecar; it says 1 of a sidecar that has died, too. */
  vmCount(): number | null;
  /** What the client knows of a process that its owner started; null of all others. Never rejects. */
  startedProcess(publicPid: number): Promise<StartedProcess | null>;
  /** The child process that the sidecar is; null where the client does not show it. */
  sidecar: SidecarChild | null;
}

export interface StartedProcess {
  command: string | null;
  startedUnixMs: number | null;
}

/** Of node:child_process. */
export interface SidecarChild {
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  once(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
}

/** The version that this was tested with; another one will do that has the same methods. */
export const testedAgentOsVersion = '0.2.21';

/**
 * The parts of an `AgentOs` object of @rivet-dev/agentos-core that are read. Its types do not show
 * them, so they are looked for: AGENTOS_NOT_USABLE names what is missing.
 */
export function vmHandleOf(vm: unknown): VmHandle {
  const client = field(vm, '_sidecarClient');
  const session = field(vm, '_sidecarSession');
  const id = field(vm, '_sidecarVm');
  const vmId = field(id, 'vmId');
  const getProcesses = methodOf(client, 'getProcessSnapshot');
  const getResources = methodOf(client, 'getResourceSnapshot');
  const onEvent = methodOf(client, 'onEvent');
  if (getProcesses === null) throw notUsable('_sidecarClient.getProcessSnapshot');
  if (getResources === null) throw notUsable('_sidecarClient.getResourceSnapshot');
  if (onEvent === null) throw notUsable('_sidecarClient.onEvent');
  if (typeof session !== 'object' || session === null) throw notUsable('_sidecarSession');
  if (typeof vmId !== 'string') throw notUsable('_sidecarVm.vmId');
  const sidecar = childOf(field(field(client, 'protocolClient'), 'child'));
  if (sidecar !== null && hasExited(sidecar)) throw ended(`the sidecar of ${vmId} has ended`);
  const vmCount = () => vmCountOf(field(vm, 'sidecar'));
  // With others on its sidecar nobody can tell: then the first question does.
  if (vmCount() === 0) throw ended(`${vmId} was disposed of: no VM is on its sidecar`);
  return {
    vmId,
    processes: async () => await getProcesses(session, id),
    resources: async () => await getResources(session, id),
    onEvent: (handler) => {
      const off = onEvent(handler);
      return () => void (typeof off === 'function' && off());
    },
    vmCount,
    startedProcess: (publicPid) => startedProcess(field(vm, 'process'), publicPid),
    sidecar,
  };
}

function notUsable(missing: string): HeadroomError {
  return new HeadroomError(
    'AGENTOS_NOT_USABLE',
    `this is no VM of @rivet-dev/agentos-core that can be recorded: it has no ${missing}`,
    {
      hint: `Give what AgentOs.create() of @rivet-dev/agentos-core returned; tested with ${testedAgentOsVersion}.`,
    },
  );
}

function ended(message: string): HeadroomError {
  return new HeadroomError('AGENTOS_NOT_USABLE', message, {
    hint: 'Attach while the VM is there: right after AgentOs.create().',
  });
}

export function hasExited({ exitCode, signalCode }: SidecarChild): boolean {
  return exitCode !== null || signalCode !== null;
}

function vmCountOf(sidecar: unknown): number | null {
  try {
    const count = field(methodOf(sidecar, 'describe')?.(), 'activeVmCount');
    return typeof count === 'number' ? count : null;
  } catch (error) {
    // Of a sidecar that was disposed of.
    if (error instanceof Error) return null;
    throw error;
  }
}

async function startedProcess(
  processes: unknown,
  publicPid: number,
): Promise<StartedProcess | null> {
  const get = methodOf(processes, 'get');
  if (get === null) return null;
  try {
    const descriptor = await get(publicPid);
    const command = field(descriptor, 'command');
    const startedAtMs = field(descriptor, 'startedAtMs');
    return {
      command: typeof command === 'string' ? command : null,
      startedUnixMs: typeof startedAtMs === 'number' ? startedAtMs : null,
    };
  } catch (error) {
    // `Process not found`: another client started it.
    if (error instanceof Error) return null;
    throw error;
  }
}

function childOf(child: unknown): SidecarChild | null {
  const isChild = methodOf(child, 'once') !== null && typeof field(child, 'pid') === 'number';
  return isChild ? (child as SidecarChild) : null;
}

/** A property of whatever this is; undefined where there is none. */
export function field(value: unknown, name: string): unknown {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isHolder ? Reflect.get(value, name) : undefined;
}

function methodOf(value: unknown, name: string): ((...args: unknown[]) => unknown) | null {
  const method = field(value, name);
  return typeof method === 'function' ? (...args) => Reflect.apply(method, value, args) : null;
}
