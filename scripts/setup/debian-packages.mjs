import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { lastLines, runQuietly } from './run-command.mjs';

/**
 * What installing packages needs of a machine; the real one is the default everywhere.
 *
 * @typedef {object} Machine
 * @property {() => boolean} isRoot
 * @property {(program: string) => string | null} findProgram
 * @property {typeof runQuietly} run
 * @property {(line: string) => void} tell
 */

/** @type {Machine} */
export const thisMachine = {
  isRoot: () => process.getuid?.() === 0,
  findProgram,
  run: runQuietly,
  tell: (line) => console.error(line),
};

/**
 * Installs Debian packages without asking anything, where apt and root allow it. Null when they are
 * installed, else why not, as one sentence.
 *
 * @param {readonly string[]} packages
 * @param {Machine} [machine]
 * @returns {Promise<string | null>}
 */
export async function installDebianPackages(packages, machine = thisMachine) {
  const remedy = `sudo apt-get install ${packages.join(' ')}`;
  if (machine.findProgram('apt-get') === null) {
    return `this system has no apt-get; install ${packages.join(', ')} its own way`;
  }
  if (!machine.isRoot()) return `only root may install it: ${remedy}`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  machine.tell(`          … apt-get install ${packages.join(' ')}`);
  // A failed update is no reason to give up: the lists of before may do.
  await machine.run('apt-get', [...aptOptions, 'update'], { env });
  const install = [...aptOptions, 'install', '-y', '--no-install-recommends', ...packages];
  const { code, output } = await machine.run('apt-get', install, { env });
  return code === 0 ? null : `apt-get could not install it:\n${lastLines(output, 8)}`;
}

/** Another apt at work is waited for, instead of failing at once. */
const aptOptions = ['-q', '-o', 'DPkg::Lock::Timeout=120'];

/**
 * @param {string} program
 * @returns {string | null} Its path, null when it is not on PATH.
 */
function findProgram(program) {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const candidate = path.join(folder, program);
    if (folder !== '' && isExecutable(candidate)) return candidate;
  }
  return null;
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
