import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { runNpm } from './npm.mjs';
import { lastLines, runQuietly } from './run-command.mjs';

/** With SQLite 3.54.1: the tests of the store run on its node:sqlite as well. */
const version = '22.23.5';

/**
 * What getting it needs of a machine; the real one is the default.
 *
 * @typedef {object} Source
 * @property {string} folder Where it is kept.
 * @property {string} name The package of npm, which has the program as bin/node.
 * @property {typeof runNpm} npm
 * @property {(line: string) => void} tell
 */

/** @type {Source} */
const registry = {
  folder: cacheFolder(`node-${version}`),
  name: `node-${process.platform}-${process.arch}`,
  npm: runNpm,
  tell: (line) => console.error(line),
};

/**
 * A Node.js 22 to test with, beside the one that runs the project, from the npm registry: npm checks
 * it against the registry's checksum. It is kept in the user's cache.
 *
 * @param {Partial<Source>} [source]
 * @returns {Promise<import('./debian-programs.mjs').Found>}
 */
export async function provideNode22(source = {}) {
  const { folder, name, npm, tell } = { ...registry, ...source };
  const program = path.join(folder, 'node');
  if (existsSync(program)) return { path: program };
  tell(`          … npm pack ${name}@${version} (45 MB)`);
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(path.join(folder, 'work-'));
  try {
    const args = ['pack', `${name}@${version}`, '--pack-destination', work, '--loglevel=error'];
    const packed = await npm(args, { cwd: work });
    if (packed.code !== 0) return { reason: lastLines(packed.output, 1) };
    const tarball = path.join(work, `${name}-${version}.tgz`);
    const tar = ['-xzf', tarball, '-C', work, 'package/bin/node'];
    const unpacked = await runQuietly('tar', tar);
    if (unpacked.code !== 0) return { reason: lastLines(unpacked.output, 1) };
    // Another clone may be at the same: the last one wins, with the same file.
    renameSync(path.join(work, 'package/bin/node'), program);
    return { path: program };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * One line of the set-up. Without it it goes on: the tests that need it say so and are skipped.
 *
 * @param {Awaited<ReturnType<typeof provideNode22>>} found
 */
export function describeNode22(found) {
  return 'path' in found
    ? version
    : `WITHOUT NODE.JS 22, the tests with node:sqlite will be skipped: ${found.reason}`;
}
