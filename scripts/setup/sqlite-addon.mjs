import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { installDebianPackages, thisMachine } from './debian-packages.mjs';
import { runNpm } from './npm.mjs';
import { lastLines, runQuietly } from './run-command.mjs';
import { SetUpError } from './set-up-error.mjs';

/** What node-gyp needs, as program and Debian package. */
const toolchain = [
  { program: 'python3', package: 'python3' },
  { program: 'make', package: 'make' },
  { program: 'g++', package: 'g++' },
];

/** Where better-sqlite3 keeps what it built, inside its own folder. */
const addonFile = 'build/Release/better_sqlite3.node';

/**
 * The native half of better-sqlite3. It is compiled once per machine and version: a copy of what was
 * built is kept in the user's cache, in the form in which better-sqlite3's own installer looks for
 * ready-made builds, and the next clone takes it from there. A copy that does not load is replaced
 * by a fresh build.
 *
 * @param {string} root
 * @param {{ cacheFolder?: string, build?: (root: string) => Promise<void> }} [parts]
 * @returns {Promise<string>} What was done.
 */
export async function provideSqliteAddon(
  root,
  { cacheFolder = prebuildFolder(), build = compile } = {},
) {
  const cached = path.join(cacheFolder, prebuildName(root));
  if (await loads(root)) {
    if (!existsSync(cached)) await keep(root, cached);
    return 'works';
  }
  if (await restore(root, cached)) return `taken from ${cached}`;

  await build(root);
  if (!(await loads(root))) {
    throw new SetUpError(
      'better-sqlite3 was built but does not load',
      'Run npm rebuild better-sqlite3 to see why.',
    );
  }
  return (await keep(root, cached)) ? `built; kept as ${cached}` : 'built';
}

/** Where ready-made builds are kept: `$XDG_CACHE_HOME/headroom/prebuilds`, below ~/.cache without. */
export function prebuildFolder(env = process.env) {
  return cacheFolder('prebuilds', env);
}

/**
 * The name under which prebuild-install, the installer of better-sqlite3, looks for a build: package
 * version, ABI of Node.js, system, processor.
 *
 * @param {string} root
 */
export function prebuildName(root) {
  const manifest = path.join(addonFolder(root), 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const target = `node-v${process.versions.modules}-${process.platform}-${process.arch}`;
  return `better-sqlite3-v${version}-${target}.tar.gz`;
}

/**
 * Asked of a process of its own: a damaged addon can take the process down.
 *
 * @param {string} root
 */
async function loads(root) {
  const question = "new (require('better-sqlite3'))(':memory:').exec('SELECT 1')";
  return (await runQuietly(process.execPath, ['-e', question], { cwd: root })).code === 0;
}

/**
 * @param {string} root
 * @param {string} cached
 */
async function restore(root, cached) {
  const unpacked = await runQuietly('tar', ['-xzf', cached, '-C', addonFolder(root), addonFile]);
  if (unpacked.code === 0 && (await loads(root))) return true;
  rmSync(path.join(addonFolder(root), 'build'), { recursive: true, force: true });
  return false;
}

/** @param {string} root */
async function compile(root) {
  const missing = toolchain.filter(({ program }) => thisMachine.findProgram(program) === null);
  const packages = missing.map((tool) => tool.package);
  const refusal = packages.length === 0 ? null : await installDebianPackages(packages);
  // Without a compiler it can still work: where its publisher is reachable, a build is downloaded.
  console.error('          … building better-sqlite3, about two minutes, once on this machine');
  const { code, output } = await runNpm(['rebuild', 'better-sqlite3', '--loglevel=error'], {
    cwd: root,
    onWaiting: (seconds) => console.error(`          … still compiling (${seconds} s)`),
  });
  if (code === 0) return;
  throw new SetUpError(
    `better-sqlite3 could not be built (exit code ${code}):\n${lastLines(output)}`,
    refusal === null
      ? 'It needs python3, make and a C++ compiler.'
      : `It needs ${packages.join(', ')}; ${refusal}`,
  );
}

/**
 * Keeps the build for the next clone. A cache that cannot be written only costs time later.
 *
 * @param {string} root
 * @param {string} cached
 */
async function keep(root, cached) {
  const partial = `${cached}.${process.pid}`;
  try {
    mkdirSync(path.dirname(cached), { recursive: true });
    const packed = await runQuietly('tar', ['-czf', partial, '-C', addonFolder(root), addonFile]);
    if (packed.code !== 0) return false;
    renameSync(partial, cached);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** @param {string} root */
function addonFolder(root) {
  return path.join(root, 'node_modules', 'better-sqlite3');
}
