import type { OptionSpec, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { textOption } from './parse-arguments.ts';

const defaultCount = 20;
// As many as may have series of their own in a whole session.
const mostAtOnce = 1000;

/** `--per-process`, of commands that export metrics; `where` says with what it goes. */
export function perProcessSpec(where: string): OptionSpec {
  return {
    type: 'string',
    value: 'N',
    alone: String(defaultCount),
    help: `${where}series of the N largest processes of the browser, by pid; ${defaultCount} without N`,
  };
}

/** How many processes at a time are to have series of their own; null: none. UsageError. */
export function perProcessOption(parsed: ParsedArguments): number | null {
  const text = textOption(parsed, 'per-process');
  if (text === null) return null;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= mostAtOnce) return count;
  throw new UsageError(`--per-process takes 1 to ${mostAtOnce}, not "${text}"`);
}
