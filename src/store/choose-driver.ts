import { HeadroomError } from '../model/errors.ts';
import { openBetterSqlite } from './better-sqlite.ts';
import type { Database, OpenOptions } from './driver.ts';
import { nodeSqliteProblem, openNodeSqlite } from './node-sqlite.ts';

export interface SqliteDriver {
  name: DriverName;
  open(path: string, options: OpenOptions): Database;
}

const driverNames = ['node:sqlite', 'better-sqlite3'] as const;

export type DriverName = (typeof driverNames)[number];

/**
 * What SQLite files are opened with: what `HEADROOM_SQLITE_DRIVER` names, else node:sqlite where it
 * is good enough, which needs no native addon, else better-sqlite3
 * (docs/decisions/0008-two-sqlite-drivers.md). DRIVER_UNKNOWN; ADDON_MISSING where the one that is
 * asked for is not here. Whether the addon of better-sqlite3 loads shows when a file is opened.
 */
export function sqliteDriver(
  wanted: string = process.env['HEADROOM_SQLITE_DRIVER'] ?? '',
): SqliteDriver {
  const name = wanted === '' ? usual() : driverNames.find((known) => known === wanted);
  if (name === undefined) {
    throw new HeadroomError('DRIVER_UNKNOWN', `HEADROOM_SQLITE_DRIVER is "${wanted}"`, {
      hint: `Set it to ${driverNames.join(' or ')}, or unset it.`,
    });
  }
  if (name === 'better-sqlite3') return { name, open: openBetterSqlite };
  const problem = nodeSqliteProblem();
  if (problem === null) return { name, open: openNodeSqlite };
  throw new HeadroomError('ADDON_MISSING', `node:sqlite cannot be used: ${problem}`, {
    hint: 'Unset HEADROOM_SQLITE_DRIVER, or use a later Node.js.',
  });
}

function usual(): DriverName {
  return nodeSqliteProblem() === null ? 'node:sqlite' : 'better-sqlite3';
}
