import type { EndReason } from '../model/session.ts';
import { fileError } from './driver.ts';
import { openForChange } from './open-for-change.ts';
import { sealFile } from './seal/seal-file.ts';

/**
 * Says of a copy from while it was recorded how the recording ended since, at the last tick of the
 * copy. Nothing changes in one that has its end. STORE_BUSY, FILE_NOT_WRITABLE, FILE_CORRUPT.
 */
export function endCopy(path: string, endReason: EndReason): void {
  const db = openForChange(path, { busyTimeoutMs: 500 });
  try {
    db.prepare(
      `UPDATE session SET end_reason = ?,
         ended_unix_ms = (SELECT time_unix_ms FROM tick ORDER BY sequence DESC LIMIT 1)
       WHERE ended_unix_ms IS NULL`,
    ).run(endReason);
  } catch (error) {
    throw fileError(error, path);
  } finally {
    db.close();
  }
  sealFile(path);
}
