import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errnoOf, HeadroomError } from '../model/errors.ts';

/** How a command ended: its exit code, or the signal that ended it. */
export interface CommandEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** A command that runs while it is recorded. */
export interface RecordedCommand {
  pid: number;
  ended: Promise<CommandEnd>;
  signal(signal: NodeJS.Signals): void;
  /** Lets this process end before the command does: what is not waited for must not be waited for. */
  leave(): void;
}

/**
 * Starts the command with our own terminal and environment, arguments unchanged. With a cgroup, a
 * shell puts itself into it and becomes the command, so that not one page is charged elsewhere.
 * COMMAND_FAILED_TO_START when there is no such program or it may not be run.
 */
export async function startCommand(
  command: readonly string[],
  cgroupProcsFile: string | null,
): Promise<RecordedCommand> {
  const [program, ...args] = command;
  if (program === undefined) throw new TypeError('command: at least a program is needed');
  if (cgroupProcsFile !== null) mustBeFound(program);
  const child =
    cgroupProcsFile === null
      ? spawn(program, args, { stdio: 'inherit' })
      : spawn('/bin/sh', ['-c', 'echo $$ > "$0" && exec "$@"', cgroupProcsFile, program, ...args], {
          stdio: 'inherit',
        });
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const pid = await started(child, program);
  return {
    pid,
    ended,
    signal: (signal) => void child.kill(signal),
    leave: () => child.unref(),
  };
}

/** What a shell would give: the code, or 128 and the number of the signal. */
export function exitCodeOf(end: CommandEnd): number {
  if (end.exitCode !== null) return end.exitCode;
  const number = end.signal === null ? undefined : os.constants.signals[end.signal];
  return number === undefined ? 1 : 128 + number;
}

// The shell that joins the cgroup would start well and say this itself, as exit code 127.
function mustBeFound(program: string): void {
  const folders = program.includes('/') ? [''] : (process.env['PATH'] ?? '').split(path.delimiter);
  const found = folders.some((folder) => isExecutable(path.join(folder, program)));
  if (!found) throw failedToStart(program, 'ENOENT', undefined);
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch (error) {
    if (errnoOf(error) !== null) return false;
    throw error;
  }
}

function failedToStart(program: string, reason: string, cause: unknown): HeadroomError {
  return new HeadroomError('COMMAND_FAILED_TO_START', `cannot run "${program}": ${reason}`, {
    cause,
    hint: 'Give the command after -- as you would type it in a shell; check its name and that it may be executed.',
  });
}

function started(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (error) => {
      reject(failedToStart(program, errnoOf(error) ?? error.message, error));
    });
  });
}
