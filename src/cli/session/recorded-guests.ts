import fs from 'node:fs';
import { type GuestReport, guestReports } from '../../analysis/agentos.ts';
import type { ListedProcess } from '../../session/session.ts';
import { openRecording } from '../../store/reader.ts';

/**
 * The guests of a VM of agentOS out of its recording, also while it is recorded, as they last were.
 * Null where this names no file. A guest that ended before it was seen has no pid and is left out.
 */
export function recordedGuests(target: string | undefined): ListedProcess[] | null {
  if (target === undefined || !fs.statSync(target, { throwIfNoEntry: false })?.isFile())
    return null;
  using recording = openRecording(target);
  const guests = guestReports(recording.events());
  const pids = new Map(guests.map(({ processId, pid }) => [processId, pid]));
  return guests.flatMap((guest) => (guest.pid === null ? [] : [listed(guest, guest.pid, pids)]));
}

/** Below the one that started it, which its id names, also when that has ended. */
function listed(
  { processId, parentPid, command, state, exitCode }: GuestReport,
  pid: number,
  pids: ReadonlyMap<string, number | null>,
): ListedProcess {
  const starter = processId.slice(0, Math.max(0, processId.lastIndexOf('/')));
  return {
    pid,
    parentPid: pids.get(starter) ?? parentPid,
    processId,
    command: [command ?? '(command unknown)'],
    // Without a code nobody knows how, and `exited` would be told as by a signal.
    state: state === 'exited' && exitCode === null ? 'gone' : state,
    residentBytes: null,
    exitCode,
    signal: null,
  };
}
