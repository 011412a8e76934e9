import { longestExecSeconds } from '../../session/process-api.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { switchOption } from '../parse-arguments.ts';
import { endWords, exitCodeOfRemote, exitCodeOfSignal } from './remote-end.ts';
import { startedCommand, startOptions, timeoutSeconds } from './started-command.ts';
import { sessionOf, targetHelp } from './target.ts';
import { ourInput } from './terminal.ts';

export const execCommand: Command = {
  name: 'exec',
  summary: `Runs a command in a session and exits with its code. ${targetHelp}`,
  usage: ['headroom exec TARGET [OPTIONS] -- CMD ARG…'],
  options: {
    timeout: {
      type: 'string',
      value: 'D',
      help: `end the command after this time; default and most ${longestExecSeconds}s (longer: spawn)`,
    },
    stdin: { type: 'boolean', help: 'hand our input on; without it the command has none' },
    ...startOptions,
  },
  takesCommand: true,
  examples: [
    'headroom exec kernel:ID -- free -m',
    'headroom exec kernel:ID --timeout 10s -- sh -c "ps aux | sort -nrk 4 | head"',
    'headroom exec vm:http://localhost:10001 -- cat /tmp/a.png >a.png',
    'tar c src | headroom exec ssh:me@builder --stdin --cwd /tmp -- tar x',
  ],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  const { session, others } = sessionOf(parsed, io.env);
  const most = longestExecSeconds;
  const why = ': the answer of an exec comes at its end; use spawn for longer ones';
  const command = {
    ...startedCommand(parsed, others),
    timeoutSeconds: timeoutSeconds(parsed, { most, why }) ?? most,
  };
  const { signal } = io;
  using input = switchOption(parsed, 'stdin') ? ourInput() : null;
  try {
    const options = input === null ? { signal } : { signal, input: input.chunks };
    const result = await session.exec(command, options);
    await written(io.stderr, result.stderr);
    await written(io.stdout, result.stdout);
    if (result.exitCode === null) io.stderr.write(`ended by ${endWords(result)}\n`);
    return exitCodeOfRemote(result);
  } catch (error) {
    if (!signal.aborted) throw error;
    io.stderr.write('given up: the command is ended there, where it could be reached\n');
    return exitCodeOfSignal(String(signal.reason));
  }
}

function written(stream: NodeJS.WritableStream, data: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    stream.write(data, () => resolve());
  });
}
