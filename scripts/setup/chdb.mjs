import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { runNpm } from './npm.mjs';
import { lastLines } from './run-command.mjs';
import { SetUpError } from './set-up-error.mjs';

/** The engine of ClickHouse 26.7 as a library of Node.js. */
const version = '3.4.0';

/** @param {string} folder */
const packageIn = (folder) => path.join(folder, 'node_modules', 'chdb');

/**
 * The folder of the package chdb, from the npm registry, for the tests that ask for it only: it is
 * 546 MB. It is kept in the user's cache.
 */
export async function provideChdb() {
  const folder = cacheFolder(`chdb-${version}`);
  if (existsSync(packageIn(folder))) return packageIn(folder);
  console.error(`          … npm install chdb@${version} (546 MB)`);
  mkdirSync(path.dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    const args = ['install', `chdb@${version}`, '--prefix', work, '--ignore-scripts', '--no-audit'];
    const installed = await runNpm(args, { cwd: work });
    if (installed.code !== 0) {
      throw new SetUpError(
        `chdb cannot be had: ${lastLines(installed.output, 1)}`,
        'The tests with ClickHouse need Linux or macOS, and the npm registry once.',
      );
    }
    // Another clone may have been at the same, and was first.
    if (!existsSync(folder)) renameSync(work, folder);
    return packageIn(folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
