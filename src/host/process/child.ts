import { spawn } from 'node:child_process';
import { errnoOf } from '../../model/errors.ts';
import { HttpProblem } from '../http/problem.ts';
import type { OutputFrame, ProcessEnd } from './frame.ts';

export interface LaunchedLine {
  line: readonly [string, ...string[]];
  env: Readonly<Record<string, string>>;
}

/** A process with pipes, or on a terminal: the same to those who use it. */
export interface RunningChild {
  pid: number;
  onOutput(take: (frame: OutputFrame) => void): void;
  pause(): void;
  resume(): void;
  /** Resolves to the bytes written; rejects where nobody reads them any more. */
  write(data: Buffer): Promise<number>;
  /** Null without a terminal. */
  resize: ((size: { rows: number; cols: number }) => void) | null;
  /** When it has ended and all of its output was given. */
  closed: Promise<ProcessEnd>;
  /** When it has ended; what it started may still hold its pipes. */
  exited: Promise<ProcessEnd>;
}

/** Starts a process in a group of its own, with pipes for its input and output; 400 where it cannot be. */
export async function startChild({ line, env }: LaunchedLine): Promise<RunningChild> {
  const child = spawned({ line, env });
  const ended = (event: 'exit' | 'close') =>
    new Promise<ProcessEnd>((resolve) => {
      child.once(event, (exitCode, signal) => resolve({ exitCode, signal }));
    });
  const exited = ended('exit');
  const closed = ended('close');
  const outputs = [child.stdout, child.stderr];
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => {
      reject(new HttpProblem(400, `the process could not be started: ${error.message}`));
    });
  });
  // A process that does not read its input, or ended: told to whoever writes.
  child.stdin.on('error', () => child.stdin.destroy());
  return {
    pid: child.pid ?? 0,
    onOutput: (take) => {
      child.stdout.on('data', (data: Buffer) => take({ stream: 'stdout', data }));
      child.stderr.on('data', (data: Buffer) => take({ stream: 'stderr', data }));
    },
    pause: () => {
      for (const output of outputs) output.pause();
    },
    resume: () => {
      for (const output of outputs) output.resume();
    },
    write: (data) =>
      new Promise((resolve, reject) => {
        child.stdin.write(data, (error) => {
          if (error) reject(new HttpProblem(400, 'the process does not read its input any more'));
          else resolve(data.length);
        });
      }),
    resize: null,
    closed,
    exited,
  };
}

function spawned({ line, env }: LaunchedLine) {
  const [program, ...args] = line;
  try {
    return spawn(program, args, {
      cwd: '/',
      env: { ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    // Thrown, unlike ENOENT: one of 128 KiB, or all of them more than the kernel takes (execve(2)).
    if (errnoOf(error) !== 'E2BIG') throw error;
    throw new HttpProblem(400, 'fork/exec: argument list too long');
  }
}
