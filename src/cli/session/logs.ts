import { once } from 'node:events';
import type { RemoteEnd, Session } from '../../session/session.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { oneProcess } from './command-line.ts';
import { endWords, exitCodeOfRemote } from './remote-end.ts';
import { sessionOf, targetHelp } from './target.ts';

export const logsCommand: Command = {
  name: 'logs',
  summary: `What a spawned process writes, until it ends; exits with its code. ${targetHelp}`,
  usage: ['headroom logs TARGET PROCESS'],
  options: {},
  examples: ['headroom logs kernel:ID 0b1ff0a4-6c0e-4a4f-9d5c-3a53a2f0f7c1'],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  const { session, others } = sessionOf(parsed, io.env);
  const processId = oneProcess(others);
  let end: RemoteEnd | null = null;
  try {
    for await (const part of session.stream(processId, io.signal)) {
      if (part.kind === 'end') end = part.end;
      else if (!io[part.stream].write(part.data)) await once(io[part.stream], 'drain');
    }
  } catch (error) {
    // Ctrl-C leaves the process as it is.
    if (io.signal.aborted) return 0;
    throw error;
  }
  return await exitCode(end ?? (await askedEnd(session, processId)), io);
}

/** The real server now and then loses the end; null while the process runs. */
async function askedEnd(session: Session, processId: string): Promise<RemoteEnd | null> {
  const { isRunning, exitCode, signal } = await session.status(processId);
  return isRunning ? null : { exitCode, signal };
}

async function exitCode(end: RemoteEnd | null, io: CommandIo): Promise<number> {
  if (end === null) {
    io.stderr.write('the stream ended before the process did: what followed is missing\n');
    return 1;
  }
  if (end.exitCode === null) io.stderr.write(`ended by ${endWords(end)}\n`);
  return exitCodeOfRemote(end);
}
