import { HeadroomError } from '../model/errors.ts';
import { inspectDatabaseFile } from './database-file.ts';
import { fileError, sqliteCode } from './driver.ts';
import { openForChange } from './open-for-change.ts';
import { openForReading, refuseWhatIsNotOurs } from './open-for-reading.ts';

/** How far an exporter has come with a recording. */
export interface ExportCursor {
  target: string;
  /** Last tick that was delivered, or dropped on purpose; 0 for none. */
  sequence: number;
  timeUnixMs: number | null;
  /** Points, since the export of this file to this target last began at the start. */
  sentCount: number;
  droppedCount: number;
  rejectedCount: number;
  /** The exporter's own state, as it likes. */
  detail: string | null;
}

/** The new position, and what this step adds to the counts. */
export interface CursorAdvance {
  sequence: number;
  timeUnixMs: number | null;
  sentCount?: number;
  droppedCount?: number;
  rejectedCount?: number;
  /** The counts begin at zero. Default: false. */
  startsOver?: boolean;
  /** Left out: as it was. */
  detail?: string | null;
}

const columns = `target, sequence, time_unix_ms AS timeUnixMs, sent_count AS sentCount,
  dropped_count AS droppedCount, rejected_count AS rejectedCount, detail`;

// The recorder waits for us no longer than 200 ms; we wait a little longer for it.
const busyTimeoutMs = 500;

/** Null when nothing was exported to the target. Errors: see {@link openForReading}. */
export function readCursor(path: string, target: string): ExportCursor | null {
  return readCursors(path).find((cursor) => cursor.target === target) ?? null;
}

/**
 * Moves the cursor of a target, also in the file of a running recorder. FILE_NOT_WRITABLE when the
 * file or its folder cannot be written, STORE_BUSY when another program holds it for half a second.
 */
export function advanceCursor(path: string, target: string, advance: CursorAdvance): ExportCursor {
  inspectDatabaseFile(path);
  const db = openForChange(path, { busyTimeoutMs });
  try {
    refuseWhatIsNotOurs(db, path);
    const cursor = db
      .prepare<unknown[], ExportCursor>(
        `INSERT INTO export_cursor (target, sequence, time_unix_ms, sent_count, dropped_count,
           rejected_count, detail)
         VALUES (@target, @sequence, @timeUnixMs, @sentCount, @droppedCount, @rejectedCount, @detail)
         ON CONFLICT (target) DO UPDATE SET
           sequence = excluded.sequence,
           time_unix_ms = excluded.time_unix_ms,
           sent_count = @keepsCounts * sent_count + excluded.sent_count,
           dropped_count = @keepsCounts * dropped_count + excluded.dropped_count,
           rejected_count = @keepsCounts * rejected_count + excluded.rejected_count,
           detail = CASE WHEN @keepsDetail THEN detail ELSE excluded.detail END
         RETURNING ${columns}`,
      )
      .get({
        target,
        sequence: advance.sequence,
        timeUnixMs: advance.timeUnixMs,
        sentCount: advance.sentCount ?? 0,
        droppedCount: advance.droppedCount ?? 0,
        rejectedCount: advance.rejectedCount ?? 0,
        detail: advance.detail ?? null,
        keepsCounts: advance.startsOver === true ? 0 : 1,
        keepsDetail: advance.detail === undefined ? 1 : 0,
      });
    if (cursor === undefined) throw new Error('INSERT … RETURNING gave no row');
    return cursor;
  } catch (error) {
    throw writeError(error, path);
  } finally {
    db.close();
  }
}

/**
 * Takes the cursors of an earlier copy of a recording over into a later one; false when there are none.
 * Errors: see {@link openForReading} and {@link advanceCursor}.
 */
export function carryCursors(from: string, to: string): boolean {
  const cursors = readCursors(from);
  for (const { target, ...cursor } of cursors) advanceCursor(to, target, cursor);
  return cursors.length > 0;
}

function readCursors(path: string): ExportCursor[] {
  const { db, close } = openForReading(path);
  try {
    return db.prepare<[], ExportCursor>(`SELECT ${columns} FROM export_cursor`).all();
  } catch (error) {
    throw fileError(error, path);
  } finally {
    close();
  }
}

function writeError(error: unknown, path: string): unknown {
  // No journal can be made beside the file.
  if (sqliteCode(error) !== 'SQLITE_CANTOPEN') return fileError(error, path);
  return new HeadroomError('FILE_NOT_WRITABLE', `${path}: its folder cannot be written`, {
    hint: 'Copy the file to a folder that you may write to.',
    cause: error,
  });
}
