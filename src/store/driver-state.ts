import { HeadroomError } from '../model/errors.ts';
import { type DriverName, sqliteDriver } from './choose-driver.ts';
import { openDatabase } from './driver.ts';

export interface DriverState {
  /** What recordings are opened with; null where there is nothing. */
  driver: DriverName | null;
  sqliteVersion: string | null;
  /** Why none can be opened; null when they can. */
  problem: string | null;
}

/** Tries the SQLite driver of this process on a database in memory. */
export function driverState(): DriverState {
  let driver: DriverName | null = null;
  try {
    driver = sqliteDriver().name;
    const db = openDatabase(':memory:', { mode: 'create', busyTimeoutMs: 0 });
    const version = db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? null;
    db.close();
    return { driver, sqliteVersion: version, problem: null };
  } catch (error) {
    if (!(error instanceof HeadroomError)) throw error;
    const hint = error.hint === null ? '' : ` ${error.hint}`;
    return { driver, sqliteVersion: null, problem: `${error.message}.${hint}` };
  }
}
