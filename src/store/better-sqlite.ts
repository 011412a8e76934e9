import { createRequire } from 'node:module';
import { errnoOf, HeadroomError } from '../model/errors.ts';
import type { Database, OpenOptions } from './driver.ts';

/** Opens a file with better-sqlite3, loaded when it is first needed. ADDON_MISSING; errors of SQLite. */
export function openBetterSqlite(path: string, { mode, busyTimeoutMs }: OpenOptions): Database {
  try {
    const Sqlite: typeof import('better-sqlite3') = require('better-sqlite3');
    return new Sqlite(path, {
      readonly: mode === 'read',
      fileMustExist: mode !== 'create',
      timeout: busyTimeoutMs,
    });
  } catch (error) {
    throw addonError(error);
  }
}

const require = createRequire(import.meta.url);

/** Any other error is returned as it is. */
function addonError(error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error);
  // npm leaves out an optional package that could not be built.
  const isLeftOut = errnoOf(error) === 'MODULE_NOT_FOUND';
  const isUnusable = errnoOf(error) === 'ERR_DLOPEN_FAILED' || message.includes('bindings file');
  if (!isLeftOut && !isUnusable) return error;
  const remedy = isLeftOut
    ? 'install headroom again where there are python3, make and a C++ compiler.'
    : 'run `npm rebuild better-sqlite3`; where npm blocks install scripts (npm 12 and later), run `npm install-scripts approve better-sqlite3` first.';
  return new HeadroomError(
    'ADDON_MISSING',
    `the native part of better-sqlite3 cannot be loaded: ${reasonIn(message)}`,
    { hint: `Use the latest Node.js 22 or later, which needs none, or ${remedy}`, cause: error },
  );
}

/** Its first line; where the addon was looked for is told in the lines that follow. */
function reasonIn(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/\. Tried:$/, '');
}
