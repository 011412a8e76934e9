import { signalNames } from '../../session/session.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../command.ts';
import { textOption } from '../parse-arguments.ts';
import { oneProcess } from './started-command.ts';
import { sessionOf, targetHelp } from './target.ts';

export const killCommand: Command = {
  name: 'kill',
  summary: `Signals a process of a session that was spawned there. ${targetHelp}`,
  usage: ['headroom kill TARGET PROCESS [--signal NAME]'],
  options: {
    signal: { type: 'string', value: 'NAME', help: `${signalNames.join(', ')}; default TERM` },
  },
  examples: [
    'headroom kill kernel:ID 0b1ff0a4-6c0e-4a4f-9d5c-3a53a2f0f7c1',
    'headroom kill kernel:ID 4120 --signal KILL        # by pid, where the host can',
  ],
  async run(parsed, io) {
    const { session, others } = sessionOf(parsed, io.env);
    const text = (textOption(parsed, 'signal') ?? 'TERM').toUpperCase().replace(/^SIG/, '');
    const signal = signalNames.find((name) => name === text);
    if (signal === undefined) throw new UsageError(`--signal takes ${signalNames.join(', ')}`);
    await session.kill(oneProcess(others), signal);
    return 0;
  },
};
