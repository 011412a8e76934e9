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

/** Whether the process is the command of that end. */
export function isCommand(process: ProcessReport, end: ProcessExit | null): boolean {
  if (end === null || process.pid !== end.pid) return false;
  return end.startTicks === null || process.startTicks === end.startTicks;
}
