import { once } from 'node:events';
import { HeadroomError } from '../../model/errors.ts';
import type { RemoteEnd, Session } from '../../session/session.ts';
import type { CommandIo } from '../command.ts';
import { endWords, exitCodeOfRemote } from './remote-end.ts';

export interface FollowedProcess {
  session: Session;
  processId: string;
  /** What is handed on to it meanwhile. */
  input?: AsyncIterable<Uint8Array>;
}

/**
 * Writes what a process writes, until it ends, and gives its exit code. Whoever is asked to end leaves
 * the process as it is: 0.
 */
export async function followProcess(
  { session, processId, input }: FollowedProcess,
  io: CommandIo,
): Promise<number> {
  const over = new AbortController();
  const signal = AbortSignal.any([io.signal, over.signal]);
  const sending = input === undefined ? null : send({ session, processId, input }, io, signal);
  let end: RemoteEnd | null = null;
  try {
    for await (const part of session.stream(processId, io.signal)) {
      if (part.kind === 'end') end = part.end;
      else if (!io[part.stream].write(part.data)) await once(io[part.stream], 'drain');
    }
  } catch (error) {
    if (io.signal.aborted) return 0;
    throw error;
  } finally {
    over.abort();
    await sending;
  }
  if (io.signal.aborted && end === null) return 0;
  return exitCode(end ?? (await askedEnd(session, processId)), io);
}

/** What cannot be sent is said once; what the process writes is followed all the same. */
async function send(
  { session, processId, input }: Required<FollowedProcess>,
  io: CommandIo,
  signal: AbortSignal,
): Promise<void> {
  try {
    const isTold = await session.sendInput(processId, untilAborted(input, signal), signal);
    if (isTold || signal.aborted) return;
    io.stderr.write(
      'the input is over; this API cannot tell the process, which may wait for more\n',
    );
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof HeadroomError)) throw error;
    io.stderr.write(`the input goes nowhere: ${error.message}\n`);
  }
}

/** An input that nobody closes, such as a terminal, is left when the process has ended. */
async function* untilAborted(
  input: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const pieces = input[Symbol.asyncIterator]();
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  for (;;) {
    const next = await Promise.race([pieces.next(), aborted]);
    if (next === null || next.done === true) return;
    yield next.value;
  }
}

/** The real server now and then loses the end; null while the process runs. */
async function askedEnd(session: Session, processId: string): Promise<RemoteEnd | null> {
  const { isRunning, exitCode, signal } = await session.status(processId);
  return isRunning ? null : { exitCode, signal };
}

function exitCode(end: RemoteEnd | null, io: CommandIo): number {
  if (end === null) {
    io.stderr.write('the stream ended before the process did: what followed is missing\n');
    return 1;
  }
  if (end.exitCode === null) io.stderr.write(`ended by ${endWords(end)}\n`);
  return exitCodeOfRemote(end);
}
