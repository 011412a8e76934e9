import os from 'node:os';
import type { Recorder } from '../collector/recorder.ts';
import type { CommandIo } from './command.ts';
import type { SessionSource } from './record-session.ts';
import { exitCodeOf, type RecordedCommand } from './recorded-command.ts';

/**
 * The recording ends with the command, or with a signal. With a command the signal is passed on to
 * it, and its end is waited for; a second signal ends the recording without waiting.
 */
export function endWith(
  recorder: Recorder,
  context: { command: RecordedCommand | null; source: SessionSource; io: CommandIo },
): void {
  const { command, source, io } = context;
  if (command !== null) noteEnd(recorder, command, source);
  whenAborted(io.signal, (signal) => {
    if (command === null) recorder.stop('signal');
    else passOn(signal, { recorder, command, io });
  });
  whenAborted(io.hurry, () => {
    recorder.stop('signal');
    command?.leave();
  });
}

/** The exit code of `record`: the command's, or that of the signal after which it was not waited for. */
export async function exitCodeAtEnd(command: RecordedCommand, io: CommandIo): Promise<number> {
  const hurried = new Promise<number>((resolve) => {
    whenAborted(io.hurry, (signal) => resolve(128 + (os.constants.signals[signal] ?? 0)));
  });
  return await Promise.race([command.ended.then(exitCodeOf), hurried]);
}

function noteEnd(recorder: Recorder, command: RecordedCommand, source: SessionSource): void {
  const { pid } = command;
  const startTicks = source.startTicksOf(pid);
  void command.ended.then(({ exitCode, signal }) => {
    const timeUnixMs = Date.now();
    const end = { timeUnixMs, pid, startTicks, exitCode, signal } as const;
    recorder.note({ kind: 'process_exit', role: 'other', source: 'parent', ...end });
    recorder.stop('command_exited');
  });
}

function passOn(
  signal: NodeJS.Signals,
  { recorder, command, io }: { recorder: Recorder; command: RecordedCommand; io: CommandIo },
): void {
  recorder.note({
    kind: 'note',
    timeUnixMs: Date.now(),
    code: 'stop_asked',
    message: `asked to end by ${signal}, which was passed on to the command`,
  });
  // Ctrl-C on a terminal reaches the command without us.
  if (signal !== 'SIGINT' || !process.stdin.isTTY) command.signal(signal);
  io.stderr.write(
    `${signal} passed on to pid ${command.pid}; waiting for its end (again: leave it)\n`,
  );
}

function whenAborted(signal: AbortSignal, act: (reason: NodeJS.Signals) => void): void {
  if (signal.aborted) act(signal.reason);
  else signal.addEventListener('abort', () => act(signal.reason), { once: true });
}
