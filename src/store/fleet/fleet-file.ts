import { closeSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../model/errors.ts';
import { databaseHeaderBytes, parseDatabaseHeader } from '../sqlite-file/database-header.ts';
import { readBytes } from '../sqlite-file/read-bytes.ts';
import { fleetApplicationId } from './fleet-schema.ts';

/** Of the one file of a data set, in its folder. */
export const fleetFileName = 'fleet.db';

/** Whether this is the file of a data set, and no recording. False where it cannot be looked at. */
export function isFleetData(file: string): boolean {
  if (path.basename(file) !== fleetFileName) return false;
  try {
    // A pipe would be waited for.
    if (!statSync(file).isFile()) return false;
    const opened = openSync(file, 'r');
    try {
      const header = readBytes(opened, Buffer.alloc(databaseHeaderBytes), 0);
      return parseDatabaseHeader(header)?.applicationId === fleetApplicationId;
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return false;
  }
}
