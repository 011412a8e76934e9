import { type ProcessRole, processRoles } from '../../../model/process-role.ts';
import type { ProcessRecord } from '../../../model/recording.ts';
import { agentOsMetrics } from '../../agentos-metrics.ts';
import type { RoleTotals } from '../../role-totals.ts';
import type { TickField } from '../../tick-view.ts';
import type { CounterUnit, Track } from './trace-packet.ts';

// Numbers of tracks: small ones for the session, a block for each role, and for each process.
const firstCounter = 100;
const firstVmCounter = 200;
const firstRole = 1000;
const firstProcess = 2 ** 32;
const blockSize = 16;

const bytes = { unit: 'bytes', scale: 'bytes' } as const;

export const eventTrack: Track = { uuid: 1, name: 'Events', rank: 1 };
export const gapTrack: Track = { uuid: 2, name: 'Gaps', rank: 2 };
const memory: Track = { uuid: 3, name: 'Memory', rank: 3 };
const pss: Track = { uuid: 4, name: 'PSS by role', rank: 4 };
const rss: Track = { uuid: 5, name: 'RSS by role (counts shared pages several times)', rank: 5 };
const processes: Track = { uuid: 6, name: 'Processes by role', rank: 6 };
const stalls: Track = { uuid: 7, name: 'Waiting (PSI, cumulative)', rank: 7 };
const activity: Track = { uuid: 8, name: 'Activity (cumulative)', rank: 8 };

/** What the other tracks are shown under. */
export const groupTracks: readonly Track[] = [
  eventTrack,
  gapTrack,
  memory,
  pss,
  rss,
  processes,
  stalls,
  activity,
];

interface SessionCounter {
  track: Track;
  field: TickField;
}

/** The figures of a tick that are counters of the session. */
export const sessionCounters: readonly SessionCounter[] = [
  counters(memory, 'bytes', {
    limit: 'session.limitBytes',
    'working set': 'session.workingSetBytes',
    available: 'session.availableBytes',
    'browser, not reclaimable': 'browser.unreclaimableBytes',
    'browser PSS': 'browser.pssEstimatedBytes',
    'swap used': 'session.swapUsedBytes',
  }),
  counters(stalls, 'ms', {
    'memory, some': 'pressure.memorySomeMs',
    'memory, all': 'pressure.memoryFullMs',
    'CPU, some': 'pressure.cpuSomeMs',
    'I/O, some': 'pressure.ioSomeMs',
    'I/O, all': 'pressure.ioFullMs',
  }),
  counters(activity, 'count', {
    'OOM kills of the machine': 'activity.oomKillCount',
    'OOM kills of the cgroup': 'cgroup.oomKillCount',
    'limit hits of the cgroup': 'cgroup.limitHitCount',
    'major faults': 'activity.majorFaultCount',
    'refaults of file pages': 'activity.refaultFileCount',
    'direct reclaims': 'activity.directReclaimCount',
  }),
  counters(activity, 'ms', {
    'CPU, user': 'activity.cpuUserMs',
    'CPU, system': 'activity.cpuSystemMs',
  }),
]
  .flat()
  .map(({ track, field }, index) => ({
    track: { ...track, uuid: firstCounter + index, rank: index },
    field,
  }));

/** Only of a recording of a VM of agentOS; its counters have the names of docs/metrics.md. */
export const vmTrack: Track = {
  uuid: 9,
  name: 'VM of agentOS (its sidecar: all VMs on it together)',
  rank: 9,
};

export const vmCounters: readonly SessionCounter[] = agentOsMetrics
  .flatMap(({ name, unit, series }) =>
    series.map(({ field, attributes }) => ({
      name: [name, ...Object.values(attributes)].join(' '),
      counter: unit === 'By' ? bytes : ({ unit: unit === 's' ? 'ms' : 'count' } as const),
      field,
    })),
  )
  .map(({ field, ...track }, index) => ({
    track: { ...track, uuid: firstVmCounter + index, rank: index, parent: vmTrack.uuid },
    field,
  }));

/** The counters of a role, each with the figure that it shows. */
export function roleCounters(role: ProcessRole): { track: Track; figure: keyof RoleTotals }[] {
  const rank = processRoles.indexOf(role);
  const uuid = firstRole + rank * blockSize;
  return [
    {
      track: { uuid, name: `${role} PSS`, parent: pss.uuid, rank, counter: bytes },
      figure: 'pssBytes',
    },
    {
      track: { uuid: uuid + 1, name: `${role} RSS`, parent: rss.uuid, rank, counter: bytes },
      figure: 'rssBytes',
    },
    {
      track: {
        uuid: uuid + 2,
        name: `${role} processes`,
        parent: processes.uuid,
        rank,
        counter: { unit: 'count' },
      },
      figure: 'processCount',
    },
  ];
}

/** The track of a process, by its number in the recording. */
export function processTrackId(process: number): number {
  return firstProcess + process * blockSize;
}

/** A process with what it is called: by its role, and where it has none by its name. */
export function processTrack(record: ProcessRecord): Track {
  const name = record.browserPid === null ? record.comm : record.role;
  return {
    uuid: processTrackId(record.process),
    name,
    process: { pid: record.pid, name, command: record.command },
  };
}

/** Figures of a process that are counters. */
export const processFigures = [
  { figure: 'rssBytes', name: 'RSS', counter: bytes },
  { figure: 'anonBytes', name: 'anonymous memory', counter: bytes },
  { figure: 'pssBytes', name: 'PSS (where it was read)', counter: bytes },
  { figure: 'swapBytes', name: 'swap', counter: bytes },
  { figure: 'cpuMs', name: 'CPU time', counter: { unit: 'ms' } },
  { figure: 'threadCount', name: 'threads', counter: { unit: 'count' } },
] as const;

/** The counter of a process that shows the figure at this place of the list. */
export function processCounterId(process: number, place: number): number {
  return processTrackId(process) + 1 + place;
}

function counters(
  parent: Track,
  unit: CounterUnit,
  fields: Readonly<Record<string, TickField>>,
): SessionCounter[] {
  return Object.entries(fields).map(([name, field]) => ({
    track: {
      uuid: 0,
      name,
      parent: parent.uuid,
      counter: unit === 'bytes' ? bytes : { unit },
    },
    field,
  }));
}
