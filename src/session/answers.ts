import type { ListedProcess, RemoteEnd } from './session.ts';

/** The fields of an answer; none of anything that is no object. */
export function fieldsOf(answer: unknown): Readonly<Record<string, unknown>> {
  return typeof answer === 'object' && answer !== null ? { ...answer } : {};
}

/**
 * `exit_code` and `signal` of an answer; null when it has neither. The server in the VMs says -1 of
 * any signal and names none: then neither is known.
 */
export function remoteEnd(answer: Readonly<Record<string, unknown>>): RemoteEnd | null {
  const { exit_code: exitCode, signal } = answer;
  if (typeof signal === 'string' && signal !== '') return { exitCode: null, signal };
  if (typeof exitCode !== 'number') return null;
  return { exitCode: exitCode < 0 ? null : exitCode, signal: null };
}

export const unknownEnd: RemoteEnd = { exitCode: null, signal: null };

/** One process of a list; null for what is none. */
export function listedProcess(item: unknown): ListedProcess | null {
  const fields = fieldsOf(item);
  const { pid, ppid, process_id: processId, command, args, state, mem_bytes: memory } = fields;
  if (typeof pid !== 'number') return null;
  return {
    pid,
    parentPid: typeof ppid === 'number' ? ppid : null,
    processId: typeof processId === 'string' ? processId : null,
    command: [String(command ?? ''), ...(Array.isArray(args) ? args.map(String) : [])],
    state: typeof state === 'string' ? state : 'unknown',
    residentBytes: typeof memory === 'number' ? memory : null,
    ...(remoteEnd(fields) ?? unknownEnd),
  };
}
