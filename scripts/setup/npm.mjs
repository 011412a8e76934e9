import path from 'node:path';
import { runQuietly } from './run-command.mjs';

/**
 * Runs npm: the one that started us where that is known, so that `npm start` with one npm does not
 * install with another.
 *
 * @param {readonly string[]} args
 * @param {import('./run-command.mjs').RunOptions} options
 */
export function runNpm(args, options) {
  const startedBy = process.env['npm_execpath'];
  return startedBy !== undefined && path.basename(startedBy) === 'npm-cli.js'
    ? runQuietly(process.execPath, [startedBy, ...args], options)
    : runQuietly('npm', args, options);
}
