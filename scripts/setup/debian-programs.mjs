import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { thisMachine } from './debian-packages.mjs';
import { lastLines } from './run-command.mjs';

/**
 * Where a program is, or why there is none.
 *
 * @typedef {{ path: string } | { reason: string }} Found
 *
 * @typedef {object} DebianProgram
 * @property {string} program The name of its file.
 * @property {string} package
 * @property {readonly string[]} [folders] Where the package has it, the first that does; default usr/bin.
 *
 * @typedef {object} Place
 * @property {string} [release] Of Debian; default trixie: everywhere the same versions, for programs that
 *   need nothing of the machine.
 * @property {string} [folder] Where programs are kept.
 * @property {Pick<import('./debian-packages.mjs').Machine, 'findProgram' | 'run' | 'tell'>} [machine]
 */

const usualRelease = 'trixie';
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Programs out of Debian's packages, without installing them: no root, and no service of theirs ever
 * starts. apt checks each package against the signed index of the release. They are kept in the
 * user's cache, where the next clone finds them.
 *
 * @param {readonly DebianProgram[]} wanted
 * @param {Place} [place]
 * @returns {Promise<Map<string, Found>>} By program.
 */
export async function provideDebianPrograms(wanted, place = {}) {
  const { release = usualRelease, machine = thisMachine } = place;
  const { folder = programFolder(release) } = place;
  const missing = wanted.filter(({ program }) => !existsSync(path.join(folder, program)));
  const reasons =
    missing.length === 0 ? new Map() : await unpackAll(missing, { folder, release, machine });
  /** @type {Map<string, Found>} */
  const found = new Map();
  for (const { program } of wanted) {
    const file = path.join(folder, program);
    const reason = `no ${program}: ${reasons.get(program)}`;
    found.set(program, existsSync(file) ? { path: file } : { reason });
  }
  return found;
}

/** Where they are kept: `$XDG_CACHE_HOME/headroom/debian-trixie`, below ~/.cache without. */
export function programFolder(release = usualRelease, env = process.env) {
  return cacheFolder(`debian-${release}`, env);
}

/**
 * @param {readonly DebianProgram[]} wanted
 * @param {Required<Place>} place
 * @returns {Promise<Map<string, string>>} Why not, of those that are still missing.
 */
async function unpackAll(wanted, { folder, release, machine }) {
  /** @param {string} reason */
  const forAll = (reason) => new Map(wanted.map(({ program }) => [program, reason]));
  if (machine.findProgram('apt-get') === null) return forAll('this system has no apt-get');
  const mirror = await debianMirror(machine);
  if (mirror === null) return forAll('the packages of this system are not Debian’s');

  const packages = [...new Set(wanted.map((one) => one.package))];
  machine.tell(`          … apt-get download ${packages.join(' ')} (${release})`);
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(path.join(folder, 'work-'));
  try {
    const apt = aptOfRelease(work, { mirror, release });
    const update = await machine.run('apt-get', [...apt, 'update']);
    if (update.code !== 0) return forAll(lastLines(update.output, 1));
    /** @type {Map<string, string>} */
    const reasons = new Map();
    for (const name of packages) {
      const programs = wanted.filter((one) => one.package === name);
      const refusal = await unpack({ name, programs, apt, work, folder }, machine);
      for (const { program } of programs) reasons.set(program, refusal ?? `it is not in ${name}`);
    }
    return reasons;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {{ name: string, programs: readonly DebianProgram[], apt: readonly string[], work: string, folder: string }} from
 * @param {NonNullable<Place['machine']>} machine
 * @returns {Promise<string | null>} Why not.
 */
async function unpack({ name, programs, apt, work, folder }, machine) {
  const cwd = path.join(work, name);
  mkdirSync(cwd);
  const download = await machine.run('apt-get', [...apt, 'download', name], { cwd });
  if (download.code !== 0) return lastLines(download.output, 1);
  const unpacked = await machine.run('sh', ['-c', 'dpkg-deb -x ./*.deb .'], { cwd });
  if (unpacked.code !== 0) return lastLines(unpacked.output, 1);
  for (const { program, folders = ['usr/bin'] } of programs) {
    const file = folders.map((one) => path.join(cwd, one, program)).find(existsSync);
    // Another clone may be at the same: the last one wins, with the same file.
    if (file !== undefined) renameSync(realpathSync(file), path.join(folder, program));
  }
  return null;
}

/**
 * The mirror of this machine's own sources, null when they are not Debian's.
 *
 * @param {NonNullable<Place['machine']>} machine
 */
async function debianMirror(machine) {
  const format = ['--format', '$(REPO_URI)', 'Created-By: Packages'];
  const { code, output } = await machine.run('apt-get', ['indextargets', ...format]);
  if (code !== 0) return null;
  return output.split('\n').find((uri) => /\/debian\/?$/.test(uri)) ?? null;
}

/**
 * Options that let apt see nothing but the release, and leave the machine's own lists alone.
 *
 * @param {string} work
 * @param {{ mirror: string, release: string }} from
 */
function aptOfRelease(work, { mirror, release }) {
  const state = path.join(work, '.apt');
  for (const part of ['state/lists/partial', 'cache/archives/partial']) {
    mkdirSync(path.join(state, part), { recursive: true });
  }
  const sources = path.join(state, 'sources.list');
  const status = path.join(state, 'status');
  writeFileSync(sources, `deb [signed-by=${keyring}] ${mirror} ${release} main\n`);
  writeFileSync(status, '');
  const options = [
    `Dir::State=${path.join(state, 'state')}`,
    `Dir::State::status=${status}`,
    `Dir::Cache=${path.join(state, 'cache')}`,
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=-',
    'Acquire::Languages=none',
    'Acquire::Retries=2',
    // An index that cannot be had is an error, not a warning.
    'APT::Update::Error-Mode=any',
    // Downloaded as ourselves, root or not.
    'APT::Sandbox::User=',
  ];
  return ['-q', ...options.flatMap((option) => ['-o', option])];
}
