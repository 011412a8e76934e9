import { realpathSync } from 'node:fs';
import { errnoOf, HeadroomError } from '../model/errors.ts';
import { type Database, openDatabase } from './driver.ts';
import { openForReading } from './open-for-reading.ts';
import {
  isMovedAway,
  isRecorderAlive,
  logUnderOtherName,
  mayBeMovedAway,
  type RecorderIdentity,
} from './recorder-lock.ts';
import { readSession } from './session-row.ts';

/**
 * Opens a recording to change it. FILE_IN_USE when a living recorder has this very file open under
 * another name: the two would write by two logs, and the file would be neither's.
 */
export function openForChange(path: string, options: { busyTimeoutMs: number }): Database {
  refuseMovedAway(path);
  return openDatabase(path, { mode: 'write', ...options });
}

/** FILE_IN_USE as of {@link openForChange}. */
export function refuseMovedAway(path: string, isAlive = isRecorderAlive): void {
  const elsewhere = recordedElsewhere(path, isAlive);
  if (elsewhere === null) return;
  const { pid, log } = elsewhere;
  const name = log === null ? 'another name' : log.replace(/-wal$/, '');
  throw new HeadroomError(
    'FILE_IN_USE',
    `${path}: process ${pid} records into it as ${name}, from where it was moved or linked`,
    { hint: `Stop process ${pid} first: then the rest comes to where the file is.` },
  );
}

/** What is to be said of a recording that a living recorder has under another name; else null. */
export function elsewhereWords(path: string, isAlive = isRecorderAlive): string | null {
  const elsewhere = recordedElsewhere(path, isAlive);
  if (elsewhere === null) return null;
  const { pid, log } = elsewhere;
  const where = log ?? 'beside the name that it had';
  return `it was moved or linked here while it is recorded: its newest samples are in its log, ${where}, or with its recorder (pid ${pid}), and come here when that ends`;
}

interface Elsewhere {
  pid: number;
  /** Null when it cannot be told. */
  log: string | null;
}

/** Reads the file only where the kernel says that somebody has it open without its log. */
function recordedElsewhere(
  path: string,
  isAlive: (recorder: RecorderIdentity) => boolean,
): Elsewhere | null {
  if (!mayBeMovedAway(path)) return null;
  const recorder = recorderOf(path);
  if (recorder === null || !isMovedAway(path, { recorder }, isAlive)) return null;
  return { pid: recorder.pid, log: logUnderOtherName(recorder.pid) };
}

/** Null also where the file is none that can be read: who opens it next says so. */
function recorderOf(path: string): RecorderIdentity | null {
  try {
    const { db, close } = openForReading(realpathSync(path));
    try {
      return readSession(db)?.recorder ?? null;
    } finally {
      close();
    }
  } catch (error) {
    if (errnoOf(error) === null && !(error instanceof HeadroomError)) throw error;
    return null;
  }
}
