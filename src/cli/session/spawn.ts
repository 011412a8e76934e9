import type { Command } from '../command.ts';
import { switchOption } from '../parse-arguments.ts';
import { commandAfter } from './command-line.ts';
import { sessionOf, targetHelp } from './target.ts';

export const spawnCommand: Command = {
  name: 'spawn',
  summary: `Starts a process in a session and prints its id; it goes on by itself. ${targetHelp}`,
  usage: ['headroom spawn TARGET [--json] -- CMD ARG…'],
  options: { json: { type: 'boolean', help: 'process id and pid as JSON' } },
  takesCommand: true,
  examples: [
    'headroom spawn kernel:ID -- vmstat 1',
    'headroom logs kernel:ID $(headroom spawn kernel:ID -- vmstat 1 5)',
  ],
  async run(parsed, io) {
    const { session, others } = sessionOf(parsed, io.env);
    const { processId, pid } = await session.spawn({ command: commandAfter(parsed, others) });
    const answer = { schemaVersion: 1, processId, pid };
    io.stdout.write(
      switchOption(parsed, 'json') ? `${JSON.stringify(answer)}\n` : `${processId}\n`,
    );
    return 0;
  },
};
