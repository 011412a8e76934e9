import type { ProcessRecord, ProcessSample, Recording } from '../../../model/recording.ts';
import { fieldColumns, type Table, tableOf } from './table.ts';

type ProcessSampleRecord = ProcessSample & Pick<ProcessRecord, 'pid' | 'role'>;

export const processSampleTable: Table = tableOf<ProcessSampleRecord>({
  name: 'process_samples',
  help: 'a stored row of a process; it holds until the next one of the same process',
  columns: fieldColumns<keyof ProcessSampleRecord>({
    timeUnixMs: 'instant',
    process: 'integer',
    pid: 'integer',
    role: 'text',
    rssBytes: 'integer',
    anonBytes: 'integer',
    shmemBytes: 'integer',
    swapBytes: 'integer',
    pssBytes: 'integer',
    pssAnonBytes: 'integer',
    pssShmemBytes: 'integer',
    cpuMs: 'integer',
    threadCount: 'integer',
    majorFaultCount: 'integer',
    state: 'text',
  }),
  *records(recording, range) {
    const identities = identitiesOf(recording);
    for (const sample of recording.processSamples(range)) {
      const identity = identities.get(sample.process);
      if (identity !== undefined) yield { ...sample, ...identity };
    }
  },
});

function identitiesOf(recording: Recording): Map<number, Pick<ProcessRecord, 'pid' | 'role'>> {
  return new Map(
    recording.processes().map(({ process, pid, role }) => [process, { pid, role }] as const),
  );
}
