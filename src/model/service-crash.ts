import type { Note } from './event.ts';

/** A service of a session that ended unasked, by the telemetry of the session. */
export interface ServiceCrash {
  service: string;
  /** `startup`, `running`; `gave_up`: it is not started again. */
  phase: string;
  /** Null where it does not say. */
  pid: number | null;
}

/** The note that a recording has of it. */
export function serviceCrashNote(crash: ServiceCrash, timeUnixMs: number): Note {
  const { service, phase, pid } = crash;
  const who = pid === null ? '' : `, pid ${pid}`;
  const message = `the session's telemetry: service ${service} crashed (${phase})${who}`;
  return { kind: 'note', timeUnixMs, code: 'service_crashed', message };
}

/** The pid that such a note names; null for any other, and where none was told. */
export function crashedPid({ code, message }: Pick<Note, 'code' | 'message'>): number | null {
  if (code !== 'service_crashed') return null;
  const pid = /, pid (\d+)$/.exec(message)?.[1];
  return pid === undefined ? null : Number(pid);
}
