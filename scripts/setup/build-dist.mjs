import { chmodSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runQuietly } from './run-command.mjs';
import { SetUpError } from './set-up-error.mjs';
import { contentHash, readStamp, writeStamp } from './stamp.mjs';

const inputs = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json'];

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

  const recorder = path.join(root, 'dist', 'cli', 'recorder.js');
  if (existsSync(recorder)) await bundle(recorder);
  const program = path.join(root, 'dist', 'cli', 'main.js');
  if (existsSync(program)) chmodSync(program, 0o755);
  writeStamp(root, 'build', `${source} ${contentHash(root, ['dist'])}`);
  return 'built';
}

/**
 * Puts all modules that a file imports into it; packages stay where they are.
 *
 * @param {string} file
 */
async function bundle(file) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  });
}
