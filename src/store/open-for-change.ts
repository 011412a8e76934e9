import { realpathSync } from 'node:fs';
import { HeadroomError } from '../model/errors.ts';
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

/** FILE_IN_USE as of {@link openForChange}; only then the file is read. Errors of reading it. */
export function refuseMovedAway(
  path: string,
  isAlive: (recorder: RecorderIdentity) => boolean = isRecorderAlive,
): void {
  if (!mayBeMovedAway(path)) return;
  const recorder = recorderOf(path);
  if (recorder === null || !isMovedAway(path, { recorder }, isAlive)) return;
  const log = logUnderOtherName(recorder.pid);
  const name = log === null ? 'another name' : log.replace(/-wal$/, '');
  throw new HeadroomError(
    'FILE_IN_USE',
    `${path}: process ${recorder.pid} records into it as ${name}, from where it was moved or linked`,
    { hint: `Stop process ${recorder.pid} first: then the rest comes to where the file is.` },
  );
}

function recorderOf(path: string): RecorderIdentity | null {
  const { db, close } = openForReading(realpathSync(path));
  try {
    return readSession(db)?.recorder ?? null;
  } finally {
    close();
  }
}
