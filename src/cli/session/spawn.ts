import { HeadroomError } from '../../model/errors.ts';
import type { Session } from '../../session/session.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { switchOption } from '../parse-arguments.ts';
import { followProcess } from './followed-process.ts';
import { startedCommand, startOptions, timeoutSeconds } from './started-command.ts';
import { sessionOf, targetHelp } from './target.ts';
import { ourInput, rawInput, terminalSize } from './terminal.ts';

const mostSeconds = 7 * 24 * 3_600;

export const spawnCommand: Command = {
  name: 'spawn',
  summary: `Starts a process in a session and prints its id; it goes on by itself. ${targetHelp}`,
  usage: ['headroom spawn TARGET [OPTIONS] -- CMD ARG…'],
  options: {
    timeout: {
      type: 'string',
      value: 'D',
      help: 'end the process after this time; the server in the VMs does not',
    },
    stdin: {
      type: 'boolean',
      help: 'hand our input on as it comes, and stay: its output is ours, and its exit code',
    },
    tty: {
      type: 'boolean',
      help: 'the same on a terminal of its own, of the size of this one, also when that changes',
    },
    ...startOptions,
    json: { type: 'boolean', help: 'process id and pid as JSON' },
  },
  takesCommand: true,
  examples: [
    'headroom spawn kernel:ID -- vmstat 1',
    'headroom logs kernel:ID $(headroom spawn kernel:ID -- vmstat 1 5)',
    'headroom spawn kernel:ID --tty -- bash',
    'tail -f orders.ndjson | headroom spawn ssh:me@worker-7 --stdin -- ./worker',
  ],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  const { session, others } = sessionOf(parsed, io.env);
  const seconds = timeoutSeconds(parsed, { most: mostSeconds, why: '' });
  const command = {
    ...startedCommand(parsed, others),
    ...(seconds === null ? {} : { timeoutSeconds: seconds }),
  };
  const isJson = switchOption(parsed, 'json');
  const isTerminal = switchOption(parsed, 'tty');
  const stays = isTerminal || switchOption(parsed, 'stdin');
  if (stays && isJson) throw new UsageError('--json goes with neither --stdin nor --tty');
  const options = isTerminal ? { terminal: terminalSize(io) } : { hasInput: stays };
  const { processId, pid } = await session.spawn(command, options);
  if (isTerminal) return await onTerminal(session, processId, io);
  if (stays) {
    using input = ourInput();
    return await followProcess({ session, processId, input: input.chunks }, io);
  }
  const answer = { schemaVersion: 1, processId, pid };
  io.stdout.write(isJson ? `${JSON.stringify(answer)}\n` : `${processId}\n`);
  return 0;
}

async function onTerminal(session: Session, processId: string, io: CommandIo): Promise<number> {
  const onResize = resizer(session, processId, io);
  io.stdout.on('resize', onResize);
  using input = rawInput();
  try {
    return await followProcess({ session, processId, input: input.chunks }, io);
  } finally {
    io.stdout.off('resize', onResize);
  }
}

/** Tells the process the size of our terminal, one call at a time, so that the newest one stays. */
function resizer(session: Session, processId: string, io: CommandIo): () => void {
  let isWanted = false;
  let isTelling = false;
  const tell = async () => {
    isTelling = true;
    while (isWanted) {
      isWanted = false;
      await session.resize(processId, terminalSize(io)).catch((error: unknown) => {
        // It may have ended meanwhile, which its stream tells.
        if (!(error instanceof HeadroomError)) throw error;
      });
    }
    isTelling = false;
  };
  return () => {
    isWanted = true;
    if (!isTelling) void tell();
  };
}
