import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] Replaces the environment of this process.
 * @property {(seconds: number) => void} [onWaiting] Called every 15 s while the program runs.
 */

/** How often somebody who waits is told that it goes on. */
const heartbeatSeconds = 15;

/**
 * Runs a program in front of the user: it gets the terminal, and the signals sent to us. Gives its
 * exit code, 128 + n when signal n ended it.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<number>}
 */
export function runInFront(program, args, options = {}) {
  const child = spawn(program, args, { stdio: 'inherit', cwd: options.cwd, env: options.env });
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    // Ctrl-C on a terminal reaches it without us, and twice is asked to hurry.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  for (const signal of signals) process.on(signal, forward);
  return exitCode(child).finally(() => {
    for (const signal of signals) process.off(signal, forward);
  });
}

/**
 * Runs a program and keeps what it prints. A program that does not exist is exit code 127, as in a
 * shell.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function runQuietly(program, args, options = {}) {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: options.cwd,
    env: options.env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => {
      output += text;
    });
  }
  let seconds = 0;
  const heartbeat = setInterval(() => {
    seconds += heartbeatSeconds;
    options.onWaiting?.(seconds);
  }, heartbeatSeconds * 1_000);
  const code = await exitCode(child).finally(() => clearInterval(heartbeat));
  return { code, output };
}

/**
 * The end of a long output, where the reason of a failure stands.
 *
 * @param {string} output
 */
export function lastLines(output, count = 30) {
  return output.trimEnd().split('\n').slice(-count).join('\n');
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
function exitCode(child) {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      if ('code' in error && error.code === 'ENOENT') resolve(127);
      else reject(error);
    });
    child.on('close', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
