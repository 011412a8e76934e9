import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { requiredBuiltins } from './required-builtins.mjs';
import { runQuietly } from './run-command.mjs';
import { SetUpError } from './set-up-error.mjs';
import { contentHash, readStamp, writeStamp } from './stamp.mjs';

const inputs = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json'];

const page = path.join('report', 'page', 'client');

/**
 * Builds dist/ from src/ when either is not what it was after the last build; nothing stale stays.
 *
 * @param {string} root
 * @returns {Promise<string>} What was done.
 */
export async function buildDist(root) {
  const source = contentHash(root, inputs);
  if (readStamp(root, 'build') === `${source} ${contentHash(root, ['dist'])}`) return 'unchanged';

  rmSync(path.join(root, 'dist'), { recursive: true, force: true });
  const compiler = path.join('node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--noEmitOnError'];
  const { code, output } = await runQuietly(process.execPath, args, { cwd: root });
  if (code !== 0)
    throw new SetUpError(`the build failed:\n${output}`, 'Correct src/ as told above.');

  // The recorder, and the collector that is put into a session as this one file.
  for (const name of ['recorder', 'attach/collector-main']) {
    const file = path.join(root, 'dist', 'cli', name);
    if (existsSync(`${file}.js`)) await bundle(file);
  }
  await bundleFleet(root);
  await bundlePage(root);

  const program = path.join(root, 'dist', 'cli', 'headroom.cjs');
  if (existsSync(program)) chmodSync(program, 0o755);
  writeStamp(root, 'build', `${source} ${contentHash(root, ['dist'])}`);
  return 'built';
}

/**
 * Makes one file of CommonJS of a module and all that it imports; packages stay where they are. Its
 * comments are left out, as what is loaded of it is held as text, and its names are kept, for the
 * sake of who reads a stack trace.
 *
 * @param {string} file Without its ending.
 */
async function bundle(file) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [`${file}.js`],
    outfile: `${file}.cjs`,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [requiredBuiltins],
    define: { 'import.meta.url': 'thisUrl' },
    banner: { js: "const thisUrl = require('node:url').pathToFileURL(__filename).href;" },
    logLevel: 'silent',
  });
  for (const ending of ['.js', '.d.ts']) rmSync(`${file}${ending}`);
}

/**
 * The commands of a fleet, with what they share, in a few files: to load the 140 modules of its import
 * takes longer than to read 100 recordings. What others ask for its class stays where it is.
 *
 * @param {string} root
 */
async function bundleFleet(root) {
  const cli = path.join(root, 'dist', 'cli');
  const commands = ['diff', 'import', 'report', 'size', 'top'];
  const files = commands.map((name) => path.join(cli, 'fleet', `${name}.js`));
  if (!files.every(existsSync)) return;
  const { build } = await import('esbuild');
  await build({
    entryPoints: files,
    outdir: path.join(cli, 'fleet'),
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    packages: 'external',
    external: [path.join(root, 'dist', 'model', 'errors.js'), path.join(cli, 'command.js')],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  });
}

/**
 * The page of a browser: its program with the library of its charts in one file, and its style in another.
 *
 * @param {string} root
 */
async function bundlePage(root) {
  const source = path.join(root, 'src', page);
  if (!existsSync(source)) return;
  const { build } = await import('esbuild');
  // Its licence goes where it goes.
  const licence = readFileSync(path.join(root, 'node_modules', 'uplot', 'LICENSE'), 'utf8');
  await build({
    entryPoints: [path.join(source, 'page.ts'), path.join(source, 'page.css')],
    outdir: path.join(root, 'dist', page),
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome110', 'firefox115', 'safari16'],
    charset: 'utf8',
    banner: { js: `/*! With uPlot:\n${licence.trim()}\n*/` },
    logLevel: 'silent',
  });
}
