import { roleAttribute, type Stability } from './metric-definition.ts';

/** An event that leaves this program as a log record. */
export interface EventDefinition {
  /** OpenTelemetry's event name. */
  name: string;
  /** When there is one, in one sentence. */
  help: string;
  stability: Stability;
  /** Besides those of every record: the identity and {@link recordIdAttribute}. */
  attributes: readonly string[];
}

/** The same record sent again has the same id; two records never do. */
export const recordIdAttribute = 'log.record.uid';

const processAttributes = ['process.pid', 'process.executable.name', roleAttribute] as const;

export const eventCatalog = [
  {
    name: 'session.start',
    stability: 'development',
    help: 'The recording begins.',
    attributes: ['headroom.memory.limit', 'headroom.browser.version'],
  },
  {
    name: 'session.end',
    stability: 'development',
    help: 'The recording has ended. WARN where it was cut off: the recorder was killed, or the session deleted.',
    attributes: ['headroom.session.end_reason', 'headroom.session.duration'],
  },
  {
    name: 'headroom.oom.kill',
    stability: 'own',
    help: "The kernel killed a process for want of memory, by its own log or the session's telemetry. ERROR for one of the browser's, else WARN.",
    attributes: [
      ...processAttributes,
      'headroom.oom.victim',
      'headroom.oom.scope',
      'headroom.oom.victim.memory',
      'headroom.oom.cgroup',
      'headroom.oom.cgroup.limit',
      'headroom.oom.trigger',
      'headroom.oom.largest_other',
      'headroom.oom.largest_other.memory',
    ],
  },
  {
    name: 'headroom.process.crash',
    stability: 'own',
    help: 'A process of the browser, or the recorded command, ended itself by a signal such as SIGSEGV. ERROR.',
    attributes: [...processAttributes, 'headroom.process.signal'],
  },
  {
    name: 'headroom.process.exit',
    stability: 'own',
    help: 'The browser or the recorded command ended, or another process of the browser by a signal or with a code that is not 0.',
    attributes: [...processAttributes, 'headroom.process.signal', 'process.exit.code'],
  },
  {
    name: 'headroom.agentos.process.exit',
    stability: 'own',
    help: 'A guest process of a VM of agentOS ended with a code that is not 0; pid and id are those of the VM.',
    attributes: [
      'headroom.agentos.process.id',
      'headroom.agentos.process.pid',
      'headroom.agentos.process.command',
      'process.exit.code',
    ],
  },
  {
    name: 'headroom.agentos.limit_warning',
    stability: 'own',
    help: 'A limit of a VM of agentOS is nearly or wholly used up, of whichever VM of its sidecar. WARN.',
    attributes: [
      'headroom.agentos.limit',
      'headroom.agentos.limit.category',
      'headroom.agentos.limit.observed',
      'headroom.agentos.limit.capacity',
      'headroom.agentos.sidecar.vms',
    ],
  },
  {
    name: 'headroom.agentos.vm.change',
    stability: 'own',
    help: 'The recording of a VM of agentOS began or ended; ERROR where its sidecar died, and the VM with it.',
    attributes: [
      'headroom.agentos.vm.id',
      'headroom.agentos.vm.state',
      'headroom.agentos.sidecar.pid',
      'headroom.agentos.sidecar.vms',
      'process.exit.code',
      'headroom.process.signal',
    ],
  },
  {
    name: 'headroom.memory.limit_change',
    stability: 'own',
    help: 'Another limit binds from now on.',
    attributes: ['headroom.memory.limit', 'headroom.memory.limit.before'],
  },
  {
    name: 'headroom.recording.gap',
    stability: 'own',
    help: 'A stretch of time about which nothing is recorded, told at its end. WARN.',
    attributes: ['headroom.gap.kind', 'headroom.gap.duration'],
  },
  {
    name: 'headroom.recording.note',
    stability: 'own',
    help: 'What could not be read, a full disk, a change of cadence.',
    attributes: ['headroom.note.code'],
  },
] as const satisfies readonly EventDefinition[];

export type EventName = (typeof eventCatalog)[number]['name'];

/** The names of all attributes that an event can have. */
export type EventAttribute = (typeof eventCatalog)[number]['attributes'][number];
