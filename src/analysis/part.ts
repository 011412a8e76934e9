import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import type { DeathReport } from './deaths.ts';
import { judgementOf } from './judgement.ts';

/** Which part of a recording a report is about, and what of the rest it must not leave unsaid. */
export interface PartReport {
  fromUnixMs: number;
  toUnixMs: number;
  /** The first and the last that is recorded at all. */
  recordedFromUnixMs: number;
  recordedToUnixMs: number;
  /** What ended processes of the session, or stopped it, outside of the part; by time. */
  outside: OutsideEnd[];
}

/** A death, a kill whose victim is no process here, or (with neither) the begin of a stall. */
export interface OutsideEnd extends Pick<DeathReport, 'timeUnixMs' | 'verdict'> {
  pid: number | null;
  role: DeathReport['role'] | null;
  comm: string | null;
}

/** Null where the range holds all that is recorded. For a part the whole is judged as well. */
export function partReport(recording: Recording, range: TimeRange): PartReport | null {
  const first = recording.firstTick();
  const last = recording.lastTick();
  if (first === null || last === null) return null;
  const recordedFromUnixMs = Math.min(first.timeUnixMs, last.timeUnixMs);
  const recordedToUnixMs = Math.max(
    first.timeUnixMs,
    last.timeUnixMs,
    recording.events().at(-1)?.timeUnixMs ?? last.timeUnixMs,
  );
  const fromUnixMs = Math.max(range.fromUnixMs ?? recordedFromUnixMs, recordedFromUnixMs);
  const toUnixMs = Math.min(range.toUnixMs ?? recordedToUnixMs, recordedToUnixMs);
  if (fromUnixMs <= recordedFromUnixMs && toUnixMs >= recordedToUnixMs) return null;
  const outside = endsOf(recording)
    .filter(({ timeUnixMs }) => timeUnixMs < fromUnixMs || timeUnixMs > toUnixMs)
    .toSorted((a, b) => a.timeUnixMs - b.timeUnixMs);
  return { fromUnixMs, toUnixMs, recordedFromUnixMs, recordedToUnixMs, outside };
}

function endsOf(recording: Recording): OutsideEnd[] {
  const { deaths, oomKills, stalls } = judgementOf(recording).grounds;
  const ends: OutsideEnd[] = deaths
    .filter(({ verdict }) => verdict !== 'exited')
    .map(({ timeUnixMs, pid, role, comm, verdict }) => ({ timeUnixMs, pid, role, comm, verdict }));
  for (const { comm, inSession, process, role, timeUnixMs } of oomKills) {
    const isTold = process !== null && deaths.some(({ pid }) => pid === process.pid);
    if (!inSession || isTold || timeUnixMs === null) continue;
    const pid = process?.pid ?? null;
    ends.push({ timeUnixMs, pid, role, comm, verdict: 'kernel_oom' });
  }
  for (const { fromUnixMs } of stalls) {
    const stall = { pid: null, role: null, comm: null, verdict: 'memory_stall' } as const;
    ends.push({ timeUnixMs: fromUnixMs, ...stall });
  }
  return ends;
}
