import type { OomKill, ProcessExit, RecordingEvent } from '../../model/event.ts';
import { crashedPid } from '../../model/service-crash.ts';
import type { ToldEvent } from './told-event.ts';

/**
 * How far apart two witnesses may place one kill. Both read the same line of the kernel's log, and tie
 * its clock to the wall clock each by itself: seconds apart at worst, unless that clock was set between.
 * A second process of the same pid cannot be killed so soon: the kernel hands out all other numbers
 * first, and 32,768 at the least take far longer to fork.
 */
const sameMs = 10_000;

/** Whether our own collector, or an earlier event of telemetry, has told this already. */
export function isTold(told: ToldEvent, known: readonly RecordingEvent[]): boolean {
  if (told.kind === 'oom_kill') {
    return known.some((event) => event.kind === 'oom_kill' && isSameKill(told, event));
  }
  const pid = crashedPid(told);
  return known.some((event) =>
    event.kind === 'process_exit'
      ? event.pid === pid && isExplained(event) && isNear(event, told)
      : event.kind === 'note' && event.message === told.message && isNear(event, told),
  );
}

/**
 * The same pid at the same time; or of the very same size to the KiB, at whatever time: of a VM that has
 * slept telemetry may place a kill hours too early.
 */
export function isSameKill(one: OomKill, other: OomKill): boolean {
  if (one.pid !== other.pid) return false;
  return isNear(one, other) || (one.rssBytes !== null && one.rssBytes === other.rssBytes);
}

/** One that only vanished may have crashed: then telemetry tells more. */
function isExplained({ signal, exitCode }: ProcessExit): boolean {
  return signal !== null || exitCode !== null;
}

type Timed = Pick<RecordingEvent, 'timeUnixMs'>;

function isNear(one: Timed, other: Timed): boolean {
  if (one.timeUnixMs === null || other.timeUnixMs === null) return false;
  return Math.abs(one.timeUnixMs - other.timeUnixMs) <= sameMs;
}
