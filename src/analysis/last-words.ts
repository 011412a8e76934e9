import { parseBrowserLastWord } from '../model/browser-log.ts';
import type { Note } from '../model/event.ts';
import { gapThresholdMs } from '../model/gap.ts';
import type { DeathCause } from './death-cause.ts';
import { formatInstant } from './format.ts';
import type { ProcessReport } from './processes.ts';

export interface LastWordContext {
  notes: readonly Note[];
  processes: readonly ProcessReport[];
  intervalMs: number;
}

interface Word extends Pick<DeathCause, 'verdict'> {
  pid: number;
  timeUnixMs: number;
  line: string;
}

// The exit and the line are read in the same tick; on a stalled machine in one of the next.
const readingMs = 5_000;

// A tab that asks for much is gone before the next sample; then there is room again.
const shortageMs = 60_000;

/**
 * Whether a process that ended itself with SIGTRAP and without a word may well have done so for want of
 * /dev/shm: it was nearly full in the minute before, and the browser keeps its shared memory there.
 */
export function devShmShortageOf(
  process: ProcessReport,
  { notes, intervalMs }: Pick<LastWordContext, 'notes' | 'intervalMs'>,
): DeathCause | null {
  const endUnixMs = process.exit?.timeUnixMs ?? process.lastUnixMs;
  const note = notes.findLast(
    ({ code, timeUnixMs }) =>
      code === 'dev_shm_low' &&
      timeUnixMs >= endUnixMs - shortageMs &&
      timeUnixMs <= endUnixMs + gapThresholdMs(intervalMs),
  );
  if (note === undefined) return null;
  const reason = `at ${formatInstant(note.timeUnixMs)} ${note.message}`;
  return { verdict: 'shm_full', certainty: 'inferred', evidence: [reason] };
}

/**
 * Why a process ended itself with SIGTRAP, by what Chromium wrote into its log, or the kernel into
 * its own, about this pid; null: nobody said. In a sandbox Chromium may number itself otherwise: a
 * line of no pid that is known here is its word if nobody else ended so at that time.
 */
export function lastWordOf(process: ProcessReport, context: LastWordContext): DeathCause | null {
  const words = context.notes.flatMap(wordOf).filter((word) => isNear(word, process, context));
  const own = words.find(({ pid }) => pid === process.pid);
  if (own !== undefined) return cause(own, 'recorded');
  const foreign = words.find(({ pid }) => !context.processes.some((other) => other.pid === pid));
  if (foreign === undefined || trapsNear(foreign, context) !== 1) return null;
  return cause(foreign, 'inferred');
}

function wordOf({ code, message, timeUnixMs }: Note): Word[] {
  if (code === 'browser_log') {
    const word = parseBrowserLastWord(message);
    return word === null ? [] : [{ verdict: word.cause, pid: word.pid, timeUnixMs, line: message }];
  }
  if (code !== 'data_limit') return [];
  const pid = Number(/\((\d+)\): VmData /.exec(message)?.[1]);
  return [{ verdict: 'chromium_oom', pid, timeUnixMs, line: message }];
}

function isNear(
  { timeUnixMs }: Word,
  process: ProcessReport,
  { intervalMs }: LastWordContext,
): boolean {
  const slackMs = gapThresholdMs(intervalMs) + readingMs;
  return Math.abs(timeUnixMs - (process.exit?.timeUnixMs ?? process.lastUnixMs)) <= slackMs;
}

function trapsNear(word: Word, context: LastWordContext): number {
  return context.processes.filter(
    (process) => process.exit?.signal === 'SIGTRAP' && isNear(word, process, context),
  ).length;
}

function cause({ verdict, line }: Word, certainty: DeathCause['certainty']): DeathCause {
  const reason = certainty === 'recorded' ? line : `${line} (a pid of no process here)`;
  return { verdict, certainty, evidence: [reason] };
}
