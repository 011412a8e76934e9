import { parseArgs } from 'node:util';
import type { Command, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';

/**
 * Parses what follows the command's name. Unknown flags and missing values are a UsageError that
 * names the flag; what stands after `--` is handed on untouched.
 */
export function parseArguments(command: Command, args: readonly string[]): ParsedArguments {
  const terminator = args.indexOf('--');
  const own = terminator < 0 ? args : args.slice(0, terminator);
  const rest = terminator < 0 ? null : args.slice(terminator + 1);
  try {
    const { values, positionals } = parseArgs({
      args: [...own],
      options: { ...parserOptions(command), help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    return { values: values as ParsedArguments['values'], positionals, rest };
  } catch (error) {
    if (error instanceof TypeError) {
      throw new UsageError(firstSentence(error.message), { cause: error });
    }
    throw error;
  }
}

/** The text of a flag, null when it was not given. */
export function textOption(parsed: ParsedArguments, name: string): string | null {
  const value = parsed.values[name];
  return typeof value === 'string' ? value : null;
}

/** All values of a repeatable flag. */
export function listOption(parsed: ParsedArguments, name: string): readonly string[] {
  const value = parsed.values[name];
  return Array.isArray(value) ? value : [];
}

/** Whether a switch was given. */
export function switchOption(parsed: ParsedArguments, name: string): boolean {
  return parsed.values[name] === true;
}

function parserOptions(command: Command) {
  return Object.fromEntries(
    Object.entries(command.options).map(([name, option]) => [
      name,
      { type: option.type, multiple: option.multiple ?? false },
    ]),
  );
}

function firstSentence(message: string): string {
  return message.split(/\. |\n/, 1)[0] ?? message;
}
