import os from 'node:os';
import { unknownEnd } from '../answers.ts';
import { parsePs } from '../ps-listing.ts';
import type { ListedProcess, RemoteEnd } from '../session.ts';

/** `CODE SIGNAL` as perl tells an end, the signal by its number; unknown where nobody saw it. */
export function machineEnd(code: string | undefined, signal: string | undefined): RemoteEnd {
  if (!/^\d+$/.test(code ?? '') || !/^\d+$/.test(signal ?? '')) return unknownEnd;
  if (signal === '0') return { exitCode: Number(code), signal: null };
  return { exitCode: null, signal: signalName(Number(signal)) };
}

/** What the script that lists processes prints: each once, with its id where it was spawned. */
export function parseMachineList(text: string): ListedProcess[] {
  const [listed = '', spawned = ''] = text.split(/^spawned$/m);
  const processes = parsePs(listed);
  const ended: ListedProcess[] = [];
  for (const row of spawned.split('\n')) {
    const [, id, pid, code, signal, hex] = spawnedLine.exec(row) ?? [];
    if (id === undefined) continue;
    const found = processes.find((process) => process.pid === Number(pid));
    if (code === undefined && found !== undefined) found.processId = id;
    else {
      ended.push({
        pid: Number(pid),
        parentPid: null,
        processId: id,
        command: Buffer.from(hex ?? '', 'hex')
          .toString('utf8')
          .split('\0'),
        state: 'exited',
        residentBytes: null,
        ...machineEnd(code, signal),
      });
    }
  }
  return [...processes, ...ended];
}

const spawnedLine = /^([0-9a-f-]{36}) (\d+)(?: \d+)? ?(?:(\d+) (\d+))?: ([0-9a-f]*)$/;

function signalName(number: number): string {
  const named = Object.entries(os.constants.signals).find(([, value]) => value === number);
  return named?.[0] ?? `signal ${number}`;
}
