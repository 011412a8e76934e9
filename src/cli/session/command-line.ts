import type { ParsedArguments } from '../command.ts';
import { UsageError } from '../command.ts';

/** The command after `--`, and nothing but a TARGET before it; UsageError. */
export function commandAfter(
  parsed: ParsedArguments,
  others: readonly string[],
): readonly [string, ...string[]] {
  if (others.length > 0) throw new UsageError(`the command goes after --, not "${others[0]}"`);
  const [program, ...args] = parsed.rest ?? [];
  if (program === undefined) throw new UsageError('which command? give it after --');
  return [program, ...args];
}

/** The one argument after TARGET; UsageError. */
export function oneProcess(others: readonly string[]): string {
  const [process, second] = others;
  if (process === undefined)
    throw new UsageError('which process? give its id, as spawn printed it');
  if (second !== undefined) throw new UsageError(`one process at a time, not "${second}" as well`);
  return process;
}
