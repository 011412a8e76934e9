import { type GuestState, guestStates } from '../../model/agentos.ts';
import { field } from './vm-handle.ts';

/** A row of the VM's process table. */
export interface GuestRow {
  processId: string;
  pid: number;
  parentPid: number;
  groupPid: number;
  sessionPid: number;
  /** Null: not told. */
  command: string | null;
  state: GuestState;
  exitCode: number | null;
}

// What the table has in place of the name of a WebAssembly program that a guest started.
const namelessCommand = 'wasm';

/**
 * The rows of `getProcessSnapshot`; what makes no sense is left out. Null: no table at all. `driver`
 * is the same word for every process and `args` always empty (0.2.21): neither tells anything.
 */
export function guestRowsOf(answer: unknown): GuestRow[] | null {
  if (!Array.isArray(answer)) return null;
  return answer.map(guestRowOf).filter((row) => row !== null);
}

function guestRowOf(entry: unknown): GuestRow | null {
  const processId = field(entry, 'processId');
  const state = guestStates.find((one) => one === field(entry, 'status'));
  const [pid, ppid, pgid, sid] = ['pid', 'ppid', 'pgid', 'sid'].map((name) => field(entry, name));
  if (typeof processId !== 'string' || state === undefined) return null;
  if (!isNumber(pid) || !isNumber(ppid) || !isNumber(pgid) || !isNumber(sid)) return null;
  const command = field(entry, 'command');
  const exitCode = field(entry, 'exitCode');
  return {
    processId,
    pid,
    parentPid: ppid,
    groupPid: pgid,
    sessionPid: sid,
    command: typeof command === 'string' && command !== namelessCommand ? command : null,
    state,
    exitCode: isNumber(exitCode) ? exitCode : null,
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
