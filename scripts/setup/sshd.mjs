import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { programFolder, provideDebianPrograms } from './debian-programs.mjs';
import { lastLines, runQuietly } from './run-command.mjs';

/**
 * A server of ssh, and the folder of libraries that it needs besides the machine's own.
 *
 * @typedef {{ path: string, libraries: string } | { reason: string }} FoundSshd
 */

/** Where Debian's own is, when it is installed. */
const installed = '/usr/sbin/sshd';
const osRelease = '/etc/os-release';

const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
const libraryFolders = [`usr/lib/${triplet}`, `lib/${triplet}`];

// Of the machine's own release, as they use its C library. What openssh-client needs as well is there.
const wanted = [
  { program: 'sshd', package: 'openssh-server', folders: ['usr/sbin'] },
  { program: 'libwrap.so.0', package: 'libwrap0', folders: libraryFolders },
  { program: 'libnsl.so.2', package: 'libnsl2', folders: libraryFolders },
  { program: 'libtirpc.so.3', package: 'libtirpc3', folders: libraryFolders },
];

/**
 * The server that the tests of `ssh:` log into: the machine's own, else out of Debian's package and not
 * installed, so that none ever listens on port 22 because of us.
 *
 * @returns {Promise<FoundSshd>}
 */
export async function provideSshd() {
  if (existsSync(installed)) return { path: installed, libraries: '' };
  const release = releaseOf(existsSync(osRelease) ? readFileSync(osRelease, 'utf8') : '');
  if (release === null) return { reason: 'no sshd: this release of the system has no name' };
  const libraries = programFolder(release);
  const program = path.join(libraries, 'sshd');
  if (existsSync(program) && (await refusalOf(program, libraries)) === null) {
    return { path: program, libraries };
  }
  const found = (await provideDebianPrograms(wanted, { release })).get('sshd');
  if (found !== undefined && 'reason' in found) return found;
  const refusal = await refusalOf(program, libraries);
  return refusal === null
    ? { path: program, libraries }
    : { reason: `sshd does not run here: ${refusal}` };
}

/**
 * Why it cannot be loaded, null when it can: then it ends with a word on its usage.
 *
 * @param {string} program
 * @param {string} libraries
 */
async function refusalOf(program, libraries) {
  const env = { ...process.env, LD_LIBRARY_PATH: libraries };
  const { output } = await runQuietly(program, ['-?'], { env });
  return output.includes('usage: sshd') ? null : lastLines(output, 1);
}

/**
 * One line of the set-up. Without it it goes on: the tests that need it say so and are skipped.
 *
 * @param {FoundSshd} found
 */
export function describeSshd(found) {
  return 'path' in found
    ? found.path
    : `WITHOUT SSHD, the tests of ssh: will be skipped: ${found.reason}`;
}

/**
 * `bookworm` and the like; null where os-release(5) has none.
 *
 * @param {string} text
 */
function releaseOf(text) {
  return /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(text)?.[1] ?? null;
}
