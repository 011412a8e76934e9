import type { ProcessExit, RecordingEvent } from '../model/event.ts';
import type { ProcessReport } from './processes.ts';

/** Of the session's own browser; any other Chromium on the machine has a role and no browser here. */
export function isMember({ browserPid }: Pick<ProcessReport, 'browserPid'>): boolean {
  return browserPid !== null;
}

/** The end of the command that was recorded, which its parent was told; null: none, or not known. */
export function commandEndOf(events: readonly RecordingEvent[]): ProcessExit | null {
  const exits = events.filter((event) => event.kind === 'process_exit');
  return exits.find(({ source }) => source === 'parent') ?? null;
}

/** The end of the sidecar of a VM of agentOS, which its owner was told; null: none was recorded. */
export function sidecarEndOf(events: readonly RecordingEvent[]): ProcessExit | null {
  const exits = events.filter((event) => event.kind === 'process_exit');
  return exits.find(({ source }) => source === 'owner') ?? null;
}

/** Whether the process is the one of that end: the command, or the sidecar. */
export function isCommand(process: ProcessReport, end: ProcessExit | null): boolean {
  if (end === null || process.pid !== end.pid) return false;
  return end.startTicks === null || process.startTicks === end.startTicks;
}
