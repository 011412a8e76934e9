import type { SessionCommand } from '../../session/session.ts';
import type { OptionSpec, ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';
import { listOption, nameOption, switchOption } from '../parse-arguments.ts';
import { parseDuration, parseLabels } from '../quantities.ts';

/** The flags of what is started in a session. */
export const startOptions = {
  cwd: { type: 'string', value: 'DIR', help: 'the folder to start in, absolute' },
  env: {
    type: 'string',
    value: 'K=V',
    multiple: true,
    help: 'a variable of its environment; never shown by Headroom',
  },
  'as-user': { type: 'string', value: 'USER', help: 'as this user: a name, a uid or uid:gid' },
  'as-root': { type: 'boolean', help: 'as root' },
} as const satisfies Record<string, OptionSpec>;

/** The command after `--` with its folder, variables and user; UsageError. */
export function startedCommand(parsed: ParsedArguments, others: readonly string[]): SessionCommand {
  if (others.length > 0) throw new UsageError(`the command goes after --, not "${others[0]}"`);
  const [program, ...args] = parsed.rest ?? [];
  if (program === undefined) throw new UsageError('which command? give it after --');
  const cwd = nameOption(parsed, 'cwd');
  if (cwd !== null && !cwd.startsWith('/')) throw new UsageError('--cwd takes an absolute path');
  const user = nameOption(parsed, 'as-user');
  const isRoot = switchOption(parsed, 'as-root');
  if (user !== null && isRoot) throw new UsageError('--as-user or --as-root, not both');
  const pairs = listOption(parsed, 'env');
  return {
    command: [program, ...args],
    ...(cwd === null ? {} : { cwd }),
    ...(pairs.length === 0 ? {} : { env: variables(pairs) }),
    ...(user === null && !isRoot ? {} : { user: user ?? 'root' }),
  };
}

/** `--timeout` in whole seconds, null when it was not given; UsageError beyond `most`. */
export function timeoutSeconds(
  parsed: ParsedArguments,
  { most, why }: { most: number; why: string },
): number | null {
  const text = nameOption(parsed, 'timeout');
  if (text === null) return null;
  const seconds = Math.ceil(parseDuration('--timeout', text) / 1_000);
  if (seconds >= 1 && seconds <= most) return seconds;
  throw new UsageError(`--timeout takes 1s to ${most}s, not "${text}"${why}`);
}

/** The one argument after TARGET; UsageError. */
export function oneProcess(others: readonly string[]): string {
  const [process, second] = others;
  if (process === undefined)
    throw new UsageError('which process? give its id, as spawn printed it');
  if (second !== undefined) throw new UsageError(`one process at a time, not "${second}" as well`);
  return process;
}

function variables(pairs: readonly string[]): Record<string, string> {
  // A value may be a secret: no message has one.
  if (pairs.some((pair) => !/^[A-Za-z_]\w*=/.test(pair))) {
    throw new UsageError('--env takes NAME=VALUE, the name of letters, digits and _');
  }
  return parseLabels('--env', pairs);
}
