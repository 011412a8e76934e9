import { runNpm } from './npm.mjs';
import { lastLines } from './run-command.mjs';
import { SetUpError } from './set-up-error.mjs';
import { contentHash, readStamp, writeStamp } from './stamp.mjs';

/**
 * The dependencies of the lock file, again when it or the version of Node.js changed. Install
 * scripts wait: the only one that is needed is that of the SQLite addon, which has its own step.
 *
 * @param {string} root
 * @returns {Promise<string>} What was done.
 */
export async function installDependencies(root) {
  const files = contentHash(root, ['package-lock.json', '.npmrc']);
  const wanted = `${process.version} ${files}`;
  if (readStamp(root, 'dependencies') === wanted) return 'unchanged';

  // NODE_ENV=production must not leave out what builds and tests the project.
  const args = ['ci', '--ignore-scripts', '--include=dev', '--no-progress', '--loglevel=error'];
  const { code, output } = await runNpm(args, {
    cwd: root,
    onWaiting: (seconds) => console.error(`          … npm still installs (${seconds} s)`),
  });
  if (code !== 0) {
    throw new SetUpError(
      `npm ci failed (exit code ${code}):\n${lastLines(output)}`,
      'Is the npm registry reachable? Run npm ci to see the whole output.',
    );
  }
  writeStamp(root, 'dependencies', wanted);
  return 'installed';
}
