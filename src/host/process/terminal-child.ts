import os from 'node:os';
import { errnoOf } from '../../model/errors.ts';
import { HttpProblem } from '../http/problem.ts';
import type { LaunchedLine, RunningChild } from './child.ts';
import type { OutputFrame, ProcessEnd } from './frame.ts';

export interface TerminalSize {
  rows: number;
  cols: number;
}

const signalNames = new Map(
  Object.entries(os.constants.signals).map(([name, number]) => [number, name]),
);

/**
 * Starts a process on a terminal of its own (a PTY), as the leader of its session. 400 where the
 * optional package that makes terminals is not installed. What it writes is all `stdout`.
 */
export async function startTerminalChild(
  { line, env }: LaunchedLine,
  size: TerminalSize,
): Promise<RunningChild> {
  const { spawn } = await loadTerminals();
  const [program, ...args] = line;
  const terminal = spawn(program, args, {
    ...size,
    name: env['TERM'] ?? 'xterm-256color',
    cwd: '/',
    env: { ...env },
    // Bytes: a character may come in two pieces. The types only know of text.
    encoding: null,
  });
  const closed = new Promise<ProcessEnd>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      const name = signal === undefined || signal === 0 ? null : (signalNames.get(signal) ?? null);
      resolve({ exitCode: name === null ? exitCode : null, signal: name });
    });
  });
  return {
    pid: terminal.pid,
    onOutput: (take: (frame: OutputFrame) => void) => {
      terminal.onData((data) => take({ stream: 'stdout', data: Buffer.from(data) }));
    },
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
    write: async (data) => {
      // As with its encoding: bytes are taken, text is what the types say.
      terminal.write(data as unknown as string);
      return data.length;
    },
    resize: ({ rows, cols }) => terminal.resize(cols, rows),
    closed,
    exited: closed,
  };
}

async function loadTerminals(): Promise<typeof import('@lydell/node-pty')> {
  try {
    return await import('@lydell/node-pty');
  } catch (error) {
    if (errnoOf(error) === null && !(error instanceof Error)) throw error;
    throw new HttpProblem(
      400,
      'allocate_tty: the optional package @lydell/node-pty is not installed on the host',
    );
  }
}
