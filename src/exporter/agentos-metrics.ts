import {
  bytesMetric as bytes,
  type MetricDefinition,
  type MetricKind,
  processesMetric as processes,
  type TickMetric,
  timeMetric as time,
} from './metric-definition.ts';

const processState = 'headroom.agentos.process.state';
const resource = 'headroom.agentos.resource';
const inodes: MetricKind = { instrument: 'updowncounter', unit: '{inode}', valueType: 'int' };
const resources: MetricKind = { instrument: 'updowncounter', unit: '{resource}', valueType: 'int' };
// Two VMs on one sidecar both tell of it: a gauge is not added up over sessions.
const bytesOfSidecar: MetricKind = { ...bytes, instrument: 'gauge' };

function gaugeOf(unit: string): MetricKind {
  return { instrument: 'gauge', unit, valueType: 'int' };
}

const own = { stability: 'own' } as const satisfies Partial<MetricDefinition>;

/** For every tick of a recording of a VM of agentOS; what is of the sidecar is so by its name. */
export const agentOsMetrics: readonly TickMetric[] = [
  {
    name: 'headroom.agentos.processes',
    ...processes,
    ...own,
    help: 'Guest processes of the VM by its own table. stopped are part of living.',
    series: [
      { field: 'agentOs.processCount', attributes: { [processState]: 'living' } },
      { field: 'agentOs.stoppedCount', attributes: { [processState]: 'stopped' } },
    ],
  },
  {
    name: 'headroom.agentos.resources',
    ...resources,
    ...own,
    help: 'What the guests of the VM hold: file descriptors, pipes, terminals, sockets, connections.',
    series: [
      { field: 'agentOs.openFdCount', attributes: { [resource]: 'file_descriptor' } },
      { field: 'agentOs.pipeCount', attributes: { [resource]: 'pipe' } },
      { field: 'agentOs.ptyCount', attributes: { [resource]: 'pty' } },
      { field: 'agentOs.socketCount', attributes: { [resource]: 'socket' } },
      { field: 'agentOs.connectionCount', attributes: { [resource]: 'connection' } },
    ],
  },
  {
    name: 'headroom.agentos.resources.limit',
    ...resources,
    ...own,
    help: 'The most that the VM may have of each; known of a VM that is alone on its sidecar.',
    series: [
      { field: 'agentOs.processLimit', attributes: { [resource]: 'process' } },
      { field: 'agentOs.openFdLimit', attributes: { [resource]: 'file_descriptor' } },
      { field: 'agentOs.pipeLimit', attributes: { [resource]: 'pipe' } },
      { field: 'agentOs.ptyLimit', attributes: { [resource]: 'pty' } },
      { field: 'agentOs.socketLimit', attributes: { [resource]: 'socket' } },
      { field: 'agentOs.connectionLimit', attributes: { [resource]: 'connection' } },
    ],
  },
  {
    name: 'headroom.agentos.filesystem.usage',
    ...bytes,
    ...own,
    help: 'What is in the file system of the VM, which is memory of the sidecar.',
    series: [{ field: 'agentOs.filesystemBytes', attributes: {} }],
  },
  {
    name: 'headroom.agentos.filesystem.limit',
    ...bytes,
    ...own,
    help: 'The most that the file system of the VM may hold.',
    series: [{ field: 'agentOs.filesystemLimitBytes', attributes: {} }],
  },
  {
    name: 'headroom.agentos.filesystem.inodes',
    ...inodes,
    ...own,
    help: 'Files and folders in the file system of the VM.',
    series: [{ field: 'agentOs.inodeCount', attributes: {} }],
  },
  {
    name: 'headroom.agentos.filesystem.inodes.limit',
    ...inodes,
    ...own,
    help: 'The most that the file system of the VM may have of them.',
    series: [{ field: 'agentOs.inodeLimit', attributes: {} }],
  },
  {
    name: 'headroom.agentos.sidecar.vms',
    ...gaugeOf('{vm}'),
    ...own,
    help: 'VMs on the sidecar. Above 1 nothing of the sidecar is what this VM takes.',
    series: [{ field: 'agentOs.sidecarVmCount', attributes: {} }],
  },
  {
    name: 'headroom.agentos.sidecar.memory.usage',
    ...bytesOfSidecar,
    ...own,
    help: 'RSS of the sidecar: of all VMs in it together, and what ended ones left. Memory of one VM is not known.',
    series: [{ field: 'agentOs.sidecarRssBytes', attributes: {} }],
  },
  {
    name: 'headroom.agentos.sidecar.memory.peak',
    ...bytesOfSidecar,
    ...own,
    help: 'Highest RSS in the life of the sidecar (VmHWM).',
    series: [{ field: 'agentOs.sidecarPeakRssBytes', attributes: {} }],
  },
  {
    name: 'headroom.agentos.sidecar.cpu.time',
    ...time,
    ...own,
    help: 'CPU time of the sidecar, of all VMs in it together.',
    series: [{ field: 'agentOs.sidecarCpuMs', attributes: {} }],
  },
  {
    name: 'headroom.agentos.sidecar.threads',
    ...gaugeOf('{thread}'),
    ...own,
    help: 'Threads of the sidecar.',
    series: [{ field: 'agentOs.sidecarThreadCount', attributes: {} }],
  },
  {
    name: 'headroom.agentos.sidecar.v8.sessions',
    ...gaugeOf('{session}'),
    ...own,
    help: 'Live V8 sessions of the sidecar: guest JavaScript, and the runner of guest WebAssembly.',
    series: [{ field: 'agentOs.sidecarV8SessionCount', attributes: {} }],
  },
  {
    name: 'headroom.agentos.sidecar.v8.cpu.max',
    instrument: 'gauge',
    unit: 's',
    valueType: 'double',
    ...own,
    help: 'CPU time of the live V8 session that has the most; which process it is nobody tells.',
    series: [{ field: 'agentOs.sidecarV8CpuMaxMs', attributes: {} }],
  },
  {
    name: 'headroom.agentos.sidecar.v8.cpu.limit',
    instrument: 'gauge',
    unit: 's',
    valueType: 'double',
    ...own,
    help: 'CPU time that a V8 session may take.',
    series: [{ field: 'agentOs.sidecarV8CpuLimitMs', attributes: {} }],
  },
];
