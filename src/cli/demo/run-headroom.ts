import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs another command of this same tool in a process of its own, as a user would, with our
 * terminal; gives its exit code. An abort is passed on as SIGINT and the end waited for.
 */
export function runHeadroom(args: readonly string[], signal: AbortSignal): Promise<number> {
  const program = process.argv[1] ?? '';
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    stdio: 'inherit',
  });
  const interrupt = () => child.kill('SIGINT');
  signal.addEventListener('abort', interrupt);
  return new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, endSignal) => {
      resolve(code ?? 128 + (endSignal === null ? 0 : constants.signals[endSignal]));
    });
  }).finally(() => signal.removeEventListener('abort', interrupt));
}
