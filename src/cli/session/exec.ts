import { longestExecSeconds } from '../../session/process-api.ts';
import type { Command, CommandIo, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { textOption } from '../parse-arguments.ts';
import { parseDuration } from '../quantities.ts';
import { commandAfter } from './command-line.ts';
import { endWords, exitCodeOfRemote } from './remote-end.ts';
import { sessionOf, targetHelp } from './target.ts';

export const execCommand: Command = {
  name: 'exec',
  summary: `Runs a command in a session and exits with its code. ${targetHelp}`,
  usage: ['headroom exec TARGET [--timeout D] -- CMD ARG…'],
  options: {
    timeout: {
      type: 'string',
      value: 'D',
      help: `end the command after this time; default and most ${longestExecSeconds}s (longer: spawn)`,
    },
  },
  takesCommand: true,
  examples: [
    'headroom exec kernel:ID -- free -m',
    'headroom exec kernel:ID --timeout 10s -- sh -c "ps aux | sort -nrk 4 | head"',
    'headroom exec vm:http://localhost:10001 -- cat /tmp/a.png >a.png',
  ],
  run,
};

async function run(parsed: ParsedArguments, io: CommandIo): Promise<number> {
  const { session, others } = sessionOf(parsed, io.env);
  const command = commandAfter(parsed, others);
  const result = await session.exec({ command, timeoutSeconds: timeoutSeconds(parsed) });
  await written(io.stderr, result.stderr);
  await written(io.stdout, result.stdout);
  if (result.exitCode === null) io.stderr.write(`ended by ${endWords(result)}\n`);
  return exitCodeOfRemote(result);
}

function timeoutSeconds(parsed: ParsedArguments): number {
  const text = textOption(parsed, 'timeout');
  if (text === null) return longestExecSeconds;
  const seconds = Math.ceil(parseDuration('--timeout', text) / 1_000);
  if (seconds < 1 || seconds > longestExecSeconds) {
    throw new UsageError(
      `--timeout takes 1s to ${longestExecSeconds}s, not "${text}": the answer of an exec comes at its end; use spawn for longer ones`,
    );
  }
  return seconds;
}

function written(stream: NodeJS.WritableStream, data: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    stream.write(data, () => resolve());
  });
}
