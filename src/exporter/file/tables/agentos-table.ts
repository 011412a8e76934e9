import type { AgentOsReading } from '../../../model/agentos.ts';
import type { Recording } from '../../../model/recording.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import { fieldColumns, type Table, tableOf } from './table.ts';

type AgentOsRecord = AgentOsReading & { sequence: number; timeUnixMs: number };

export const agentOsTable: Table = tableOf<AgentOsRecord>({
  name: 'agentos_samples',
  help: 'what a VM of agentOS and its sidecar said at one sample; none where no VM was recorded',
  columns: fieldColumns<keyof AgentOsRecord>({
    sequence: 'integer',
    timeUnixMs: 'instant',
    processCount: 'integer',
    stoppedCount: 'integer',
    openFdCount: 'integer',
    pipeCount: 'integer',
    ptyCount: 'integer',
    socketCount: 'integer',
    connectionCount: 'integer',
    processLimit: 'integer',
    openFdLimit: 'integer',
    pipeLimit: 'integer',
    ptyLimit: 'integer',
    socketLimit: 'integer',
    connectionLimit: 'integer',
    filesystemBytes: 'integer',
    filesystemLimitBytes: 'integer',
    inodeCount: 'integer',
    inodeLimit: 'integer',
    sidecarVmCount: 'integer',
    sidecarV8SessionCount: 'integer',
    sidecarV8CpuMaxMs: 'integer',
    sidecarV8CpuLimitMs: 'integer',
    sidecarRssBytes: 'integer',
    sidecarPeakRssBytes: 'integer',
    sidecarCpuMs: 'integer',
    sidecarThreadCount: 'integer',
  }),
  records: agentOsRecords,
});

function* agentOsRecords(recording: Recording, range: TimeRange): Iterable<AgentOsRecord> {
  if (recording.facts.source !== 'agentos') return;
  for (const { sequence, timeUnixMs, agentOs } of recording.ticks(range)) {
    if (agentOs != null) yield { ...agentOs, sequence, timeUnixMs };
  }
}
