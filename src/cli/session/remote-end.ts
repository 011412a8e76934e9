import os from 'node:os';
import type { RemoteEnd } from '../../session/session.ts';

/** The exit code to hand on: the remote one; 128 and the number of a signal; 1 where neither is known. */
export function exitCodeOfRemote({ exitCode, signal }: RemoteEnd): number {
  return exitCode ?? exitCodeOfSignal(signal);
}

/** 128 and the number of a signal; 1 for what is none. */
export function exitCodeOfSignal(signal: string | null): number {
  const numbers: Readonly<Record<string, number>> = os.constants.signals;
  const number = signal === null ? undefined : numbers[signal];
  return number === undefined ? 1 : 128 + number;
}

/** `exit 3`, `SIGKILL`, or `a signal` where the API does not tell which. */
export function endWords({ exitCode, signal }: RemoteEnd): string {
  if (exitCode !== null) return `exit ${exitCode}`;
  return signal ?? 'a signal';
}
