import os from 'node:os';

/** How a process ended: exactly one of the two is known. */
export interface ProcessEnd {
  exitCode: number | null;
  /** `SIGKILL` …; a signal without a name of its own (the real-time ones) is `SIG` and its number. */
  signal: string | null;
}

// Of two names for one number the first is the usual one (SIGABRT, not SIGIOT).
const signalNames = new Map<number, string>(
  Object.entries(os.constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);

/**
 * Takes a wait status apart (wait(2)): the low 7 bits are the signal, 0x80 says that there was a
 * core dump, the next 8 bits are the exit code. An exit with code 137 is therefore no SIGKILL.
 */
export function decodeWaitStatus(status: number): ProcessEnd {
  const signal = status & 0x7f;
  if (signal === 0) return { exitCode: (status >>> 8) & 0xff, signal: null };
  return { exitCode: null, signal: signalNames.get(signal) ?? `SIG${signal}` };
}
