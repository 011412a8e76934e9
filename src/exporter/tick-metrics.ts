import {
  bytesMetric as bytes,
  counterOf,
  durationMetric as duration,
  processesMetric as processes,
  ratioMetric as ratio,
  type TickMetric,
  timeMetric as time,
} from './metric-definition.ts';

// The attributes of each semantic convention, and ours.
const memoryState = 'system.memory.state';
const pagingState = 'system.paging.state';
const pagingDirection = 'system.paging.direction';
const pagingType = 'headroom.paging.type';
const cpuMode = 'cpu.mode';
const resource = 'headroom.pressure.resource';
const stallType = 'headroom.pressure.type';
const oomScope = 'headroom.oom.scope';

/** One series a row, for every tick. */
export const tickMetrics: readonly TickMetric[] = [
  {
    name: 'system.memory.limit',
    ...bytes,
    stability: 'development',
    help: 'Memory of the machine (MemTotal).',
    series: [{ field: 'machine.totalBytes', attributes: {} }],
  },
  {
    name: 'system.memory.usage',
    ...bytes,
    stability: 'development',
    help: 'Memory of the machine by state. The states overlap: never add them up. used + available = limit.',
    series: [
      { field: 'session.machineUsedBytes', attributes: { [memoryState]: 'used' } },
      { field: 'machine.availableBytes', attributes: { [memoryState]: 'available' } },
      { field: 'machine.freeBytes', attributes: { [memoryState]: 'free' } },
      { field: 'machine.cachedBytes', attributes: { [memoryState]: 'cached' } },
      { field: 'machine.buffersBytes', attributes: { [memoryState]: 'buffers' } },
    ],
  },
  {
    name: 'system.memory.utilization',
    ...ratio,
    stability: 'development',
    help: 'Used memory of the machine, as a share of its memory.',
    series: [{ field: 'session.machineUsedRatio', attributes: { [memoryState]: 'used' } }],
  },
  {
    name: 'system.memory.linux.shared',
    ...bytes,
    stability: 'development',
    help: 'Shared memory and tmpfs of the machine (Shmem).',
    series: [{ field: 'machine.shmemBytes', attributes: {} }],
  },
  {
    name: 'system.paging.usage',
    ...bytes,
    stability: 'development',
    help: 'Swap space of the machine.',
    series: [
      { field: 'session.swapUsedBytes', attributes: { [pagingState]: 'used' } },
      { field: 'machine.swapFreeBytes', attributes: { [pagingState]: 'free' } },
    ],
  },
  {
    name: 'system.paging.faults',
    ...counterOf('{fault}'),
    stability: 'development',
    help: 'Page faults that had to wait for a disk.',
    series: [
      { field: 'activity.majorFaultCount', attributes: { 'system.paging.fault.type': 'major' } },
    ],
  },
  {
    name: 'system.cpu.time',
    ...time,
    stability: 'development',
    help: 'CPU time of the machine, all processors together.',
    series: [
      { field: 'activity.cpuUserMs', attributes: { [cpuMode]: 'user' } },
      { field: 'activity.cpuSystemMs', attributes: { [cpuMode]: 'system' } },
      { field: 'activity.cpuIdleMs', attributes: { [cpuMode]: 'idle' } },
      { field: 'activity.cpuIowaitMs', attributes: { [cpuMode]: 'iowait' } },
      { field: 'activity.cpuStealMs', attributes: { [cpuMode]: 'steal' } },
    ],
  },
  {
    name: 'system.process.created',
    ...counterOf('{process}'),
    stability: 'development',
    help: 'Processes and threads created on the machine.',
    series: [{ field: 'activity.forkCount', attributes: {} }],
  },
  {
    name: 'container.memory.usage',
    ...bytes,
    stability: 'release_candidate',
    help: 'What the kernel charges to the memory cgroup whose limit binds.',
    series: [{ field: 'container.chargedBytes', attributes: {} }],
  },
  {
    name: 'container.memory.working_set',
    ...bytes,
    stability: 'release_candidate',
    help: 'Charged memory of that cgroup less its inactive file pages.',
    series: [{ field: 'session.containerWorkingSetBytes', attributes: {} }],
  },
  {
    name: 'container.memory.available',
    ...bytes,
    stability: 'release_candidate',
    help: 'Limit of that cgroup less its working set.',
    series: [{ field: 'session.containerAvailableBytes', attributes: {} }],
  },
  {
    name: 'container.memory.rss',
    ...bytes,
    stability: 'release_candidate',
    help: 'Anonymous memory of that cgroup.',
    series: [{ field: 'container.anonBytes', attributes: {} }],
  },
  {
    name: 'headroom.memory.limit',
    ...bytes,
    stability: 'own',
    help: 'The limit that binds: of the machine or of a memory cgroup, the smaller.',
    series: [{ field: 'session.limitBytes', attributes: {} }],
  },
  {
    name: 'headroom.memory.available',
    ...bytes,
    stability: 'own',
    help: 'What can still be allocated without taking back what is in use; of machine and cgroup the smaller.',
    series: [{ field: 'session.availableBytes', attributes: {} }],
  },
  {
    name: 'headroom.memory.working_set',
    ...bytes,
    stability: 'own',
    help: 'Charged memory less inactive file pages, of the machine or the cgroup that binds.',
    series: [{ field: 'session.workingSetBytes', attributes: {} }],
  },
  {
    name: 'headroom.memory.utilization',
    ...ratio,
    stability: 'own',
    help: 'Working set as a share of the limit.',
    series: [{ field: 'session.utilizationRatio', attributes: {} }],
  },
  {
    name: 'headroom.memory.peak',
    ...bytes,
    stability: 'own',
    help: "The kernel's high-water mark of the cgroup that binds, else the largest working set sampled so far.",
    series: [{ field: 'session.peakBytes', attributes: {} }],
  },
  {
    name: 'headroom.memory.limit_hits',
    ...counterOf('{hit}'),
    stability: 'own',
    help: 'How often the memory cgroup reached its limit.',
    series: [{ field: 'cgroup.limitHitCount', attributes: {} }],
  },
  {
    name: 'headroom.oom.kills',
    ...counterOf('{kill}'),
    stability: 'own',
    help: "Processes killed by the kernel for want of memory, by its own counters. machine includes the cgroup's: never add them up.",
    series: [
      { field: 'activity.oomKillCount', attributes: { [oomScope]: 'machine' } },
      { field: 'cgroup.oomKillCount', attributes: { [oomScope]: 'cgroup' } },
    ],
  },
  {
    name: 'headroom.pressure.stall.time',
    ...time,
    stability: 'own',
    help: 'Time in which some or all tasks waited for the resource (PSI).',
    series: [
      { field: 'pressure.memorySomeMs', attributes: { [resource]: 'memory', [stallType]: 'some' } },
      { field: 'pressure.memoryFullMs', attributes: { [resource]: 'memory', [stallType]: 'full' } },
      { field: 'pressure.cpuSomeMs', attributes: { [resource]: 'cpu', [stallType]: 'some' } },
      { field: 'pressure.ioSomeMs', attributes: { [resource]: 'io', [stallType]: 'some' } },
      { field: 'pressure.ioFullMs', attributes: { [resource]: 'io', [stallType]: 'full' } },
    ],
  },
  {
    name: 'headroom.paging.refaults',
    ...counterOf('{fault}'),
    stability: 'own',
    help: 'Pages that were thrown out and needed again: the machine is thrashing when it climbs.',
    series: [
      { field: 'activity.refaultFileCount', attributes: { [pagingType]: 'file' } },
      { field: 'activity.refaultAnonCount', attributes: { [pagingType]: 'anonymous' } },
    ],
  },
  {
    name: 'headroom.paging.io',
    ...counterOf('By'),
    stability: 'own',
    help: 'Memory read from and written to swap.',
    series: [
      { field: 'activity.swapInBytes', attributes: { [pagingDirection]: 'in' } },
      { field: 'activity.swapOutBytes', attributes: { [pagingDirection]: 'out' } },
    ],
  },
  {
    name: 'headroom.browser.memory.unreclaimable',
    ...bytes,
    stability: 'own',
    help: "The browser's footprint: anonymous memory, pages shared with a zygote once, and shared memory.",
    series: [{ field: 'browser.unreclaimableBytes', attributes: {} }],
  },
  {
    name: 'headroom.browser.memory.pss_sum',
    ...bytes,
    stability: 'own',
    help: "PSS of the browser's processes, each the last reading and what changed since.",
    series: [{ field: 'browser.pssEstimatedBytes', attributes: {} }],
  },
  {
    name: 'headroom.browser.memory.rss_sum',
    ...bytes,
    stability: 'own',
    help: "RSS of the browser's processes added up. Counts shared pages once per process: never a footprint.",
    series: [{ field: 'browser.rssSumBytes', attributes: {} }],
  },
  {
    name: 'headroom.browser.zombies',
    ...processes,
    stability: 'own',
    help: 'Dead processes of the browser that nobody reaped.',
    series: [{ field: 'browser.zombieCount', attributes: {} }],
  },
  {
    name: 'headroom.collector.memory.usage',
    ...bytes,
    stability: 'own',
    help: 'RSS of the recorder itself.',
    series: [{ field: 'collector.rssBytes', attributes: {} }],
  },
  {
    name: 'headroom.collector.cpu.time',
    ...time,
    stability: 'own',
    help: 'CPU time of the recorder itself.',
    series: [{ field: 'collector.cpuMs', attributes: {} }],
  },
  {
    name: 'headroom.collector.read.duration',
    ...duration,
    stability: 'own',
    help: 'How long the recorder took to read this sample.',
    series: [{ field: 'collector.readMs', attributes: {} }],
  },
  {
    name: 'headroom.collector.lateness',
    ...duration,
    stability: 'own',
    help: 'How much later than planned this sample was begun.',
    series: [{ field: 'collector.latenessMs', attributes: {} }],
  },
  {
    name: 'headroom.collector.missed_ticks',
    ...counterOf('{tick}'),
    stability: 'own',
    help: 'Samples that the schedule had and that were not taken.',
    series: [{ field: 'collector.missedTickCount', attributes: {} }],
  },
];
