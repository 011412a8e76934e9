import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { runNpm } from './npm.mjs';
import { lastLines } from './run-command.mjs';
import { SetUpError } from './set-up-error.mjs';

/**
 * The folder of a package from the npm registry that only tests ask for by name, and that is no
 * dependency of the project. It is kept in the user's cache.
 *
 * @param {{ name: string, version: string, size: string, without: string }} wanted `without`: what
 *   cannot be done without it, for the error.
 */
export async function cachedPackage({ name, version, size, without }) {
  const folder = cacheFolder(`${name}-${version}`);
  const found = path.join(folder, 'node_modules', name);
  if (existsSync(found)) return found;
  console.error(`          … npm install ${name}@${version} (${size})`);
  mkdirSync(path.dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    const args = [
      'install',
      `${name}@${version}`,
      '--prefix',
      work,
      '--ignore-scripts',
      '--no-audit',
    ];
    const installed = await runNpm(args, { cwd: work });
    if (installed.code !== 0) {
      throw new SetUpError(`${name} cannot be had: ${lastLines(installed.output, 1)}`, without);
    }
    // Another clone may have been at the same, and was first.
    if (!existsSync(folder)) renameSync(work, folder);
    return found;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
