import type { Recording } from '../../model/recording.ts';
import type { TimelineRequest } from '../../model/timeline.ts';
import type { KeyedProcessTimeline, ProcessKey } from './page-data.ts';

/** The lines of these processes; those that are not in the recording are left out. */
export function processLines(
  recording: Recording,
  request: TimelineRequest,
  wanted: readonly ProcessKey[],
): KeyedProcessTimeline {
  const records = recording
    .processes()
    .filter((record) =>
      wanted.some(({ pid, startTicks }) => record.pid === pid && record.startTicks === startTicks),
    );
  const numbers = records.map(({ process }) => process);
  const { timesUnixMs, processes } = recording.processTimeline(request, numbers);
  return {
    timesUnixMs,
    processes: processes.flatMap(({ process, ...line }) => {
      const record = records.find((candidate) => candidate.process === process);
      return record === undefined
        ? []
        : [{ pid: record.pid, startTicks: record.startTicks, ...line }];
    }),
  };
}
