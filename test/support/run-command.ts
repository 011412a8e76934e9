import { PassThrough } from 'node:stream';
import type { Command } from '../../src/cli/command.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';

/** Runs a command within the test; its output as text. */
export async function runInTest(command: Command, ...args: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const io = { stdout, stderr, env: {}, signal, hurry: signal };
  const exitCode = await command.run(parseArguments(command, args), io);
  return { exitCode, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}
