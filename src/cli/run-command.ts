import os from 'node:os';
import { HeadroomError } from '../model/errors.ts';
import { printable } from '../report/printable.ts';
import type { Command, CommandIo } from './command.ts';
import { UsageError } from './command.ts';
import { commandHelp } from './help.ts';
import { openFilesError } from './open-files-error.ts';
import { parseArguments } from './parse-arguments.ts';

export interface LoadableCommand {
  name: string;
  load(): Promise<Command>;
}

/** Runs one command and gives its exit code. The only place that prints errors. */
export async function runCommand(entry: LoadableCommand, args: readonly string[]): Promise<number> {
  const io = processIo();
  try {
    const command = await entry.load();
    const parsed = parseArguments(command, args);
    if (parsed.values['help'] === true) {
      io.stdout.write(commandHelp(command));
      return 0;
    }
    return await command.run(parsed, io);
  } catch (error) {
    return reportFailure(entry.name, openFilesError(error) ?? error, io);
  }
}

function reportFailure(name: string, error: unknown, io: CommandIo): number {
  if (error instanceof UsageError) {
    io.stderr.write(`headroom ${name}: ${printable(error.message)}\n`);
    io.stderr.write(`See: headroom ${name} --help\n`);
    return 2;
  }
  if (error instanceof HeadroomError) {
    io.stderr.write(`headroom ${name}: ${printable(error.message)} [${error.code}]\n`);
    if (error.hint !== null) io.stderr.write(`${printable(error.hint)}\n`);
  } else {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    io.stderr.write(`headroom ${name}: this is a bug in headroom [INTERNAL]\n${text}\n`);
  }
  if (io.env['HEADROOM_DEBUG'] !== undefined && error instanceof Error) {
    io.stderr.write(`${error.stack ?? ''}\ncause: ${String(error.cause)}\n`);
  }
  return 1;
}

/** Ends with the reader of stdout, and when nothing can be written to it. */
export function endWithStdout(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that goes away (`| head`) is no error of ours.
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`headroom: cannot write to stdout (${error.code ?? error.message})\n`);
    process.exit(1);
  });
}

function processIo(): CommandIo {
  const asked = new AbortController();
  const askedTwice = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
    process.on(signal, () => {
      // Asked a third time: what is stored is stored.
      if (askedTwice.signal.aborted) process.exit(128 + os.constants.signals[signal]);
      if (asked.signal.aborted) askedTwice.abort(signal);
      else asked.abort(signal);
    });
  }
  // Left to Node, it opens a debugger to everybody on this machine.
  process.on('SIGUSR1', () => undefined);
  // A recorder outlives the terminal that started it.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    signal: asked.signal,
    hurry: askedTwice.signal,
  };
}
