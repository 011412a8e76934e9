import { once } from 'node:events';
import type { Session } from '../../session/session.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { switchOption } from '../parse-arguments.ts';
import { followProcess } from './followed-process.ts';
import { sessionOf, targetHelp } from './target.ts';

export const logsCommand: Command = {
  name: 'logs',
  summary: `What a spawned process writes, until it ends, or what is in a file. ${targetHelp}`,
  usage: ['headroom logs TARGET PROCESS', 'headroom logs TARGET /PATH [--follow]'],
  options: {
    follow: {
      type: 'boolean',
      short: 'f',
      help: 'of a file: the lines that are written from now on; a process is always followed',
    },
  },
  examples: [
    'headroom logs kernel:ID 0b1ff0a4-6c0e-4a4f-9d5c-3a53a2f0f7c1      # exits with its code',
    'headroom logs kernel:ID /var/log/supervisord/chromium >chromium.log',
    'headroom logs ssh:me@worker-7 -f /var/log/syslog',
  ],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  const { session, others } = sessionOf(parsed, io.env);
  const [what, second] = others;
  if (what === undefined) throw new UsageError('of what? give the id of a process, or a path');
  if (second !== undefined) throw new UsageError(`one at a time, not "${second}" as well`);
  if (!what.startsWith('/')) return await followProcess({ session, processId: what }, io);
  const chunks = switchOption(parsed, 'follow')
    ? session.followFile(what, io.signal)
    : wholeFile(session, what);
  try {
    for await (const chunk of chunks) {
      if (!io.stdout.write(chunk)) await once(io.stdout, 'drain');
      if (io.signal.aborted) break;
    }
  } catch (error) {
    // Ctrl-C is the only end of what is followed.
    if (!io.signal.aborted) throw error;
  }
  return 0;
}

async function* wholeFile(session: Session, path: string): AsyncGenerator<Uint8Array> {
  yield* (await session.readFile(path)).chunks;
}
