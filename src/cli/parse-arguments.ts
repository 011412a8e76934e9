import { parseArgs } from 'node:util';
import type { Command, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { writtenPath } from './written-path.ts';

/**
 * Parses what follows the command's name. Unknown flags, missing values and flags that are given
 * twice are a UsageError that names the flag; a command after `--` is handed on untouched.
 */
export function parseArguments(command: Command, args: readonly string[]): ParsedArguments {
  const terminator = args.indexOf('--');
  const own = terminator < 0 ? args : args.slice(0, terminator);
  const rest = terminator < 0 ? null : args.slice(terminator + 1);
  try {
    const { values, positionals, tokens } = parseArgs({
      args: joinValues(command, own),
      options: { ...parserOptions(command), help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
      tokens: true,
    });
    refuseRepeated(
      command,
      tokens.flatMap((token) => (token.kind === 'option' ? token.name : [])),
    );
    const given = { values: values as ParsedArguments['values'] };
    return command.takesCommand === true
      ? { ...given, positionals, rest }
      : { ...given, positionals: [...positionals, ...(rest ?? [])], rest: null };
  } catch (error) {
    if (error instanceof TypeError) {
      throw new UsageError(firstSentence(error.message), { cause: error });
    }
    throw error;
  }
}

/** The one file a command works on; UsageError otherwise. */
export function oneFile(parsed: ParsedArguments): string {
  const [file, second] = parsed.positionals;
  if (file === undefined) throw new UsageError('which recording? give its FILE');
  if (second !== undefined) throw new UsageError(`one FILE at a time, not "${second}" as well`);
  return file;
}

/** The text of a flag that may not be empty, null when it was not given; UsageError. */
export function nameOption(parsed: ParsedArguments, name: string): string | null {
  const text = textOption(parsed, name);
  if (text === '') throw new UsageError(`--${name} is empty`);
  return text;
}

/** The path of a flag that names what is written; null when it was not given. UsageError, and as {@link writtenPath}. */
export function pathOption(parsed: ParsedArguments, name: string): string | null {
  const path = nameOption(parsed, name);
  return path === null ? null : writtenPath(path);
}

/** `--out` of a command that can write to stdout as well; null for that. Errors: {@link pathOption}. */
export function outputOption(parsed: ParsedArguments): string | null {
  const out = pathOption(parsed, 'out');
  // Which may be a pipe, and must not be replaced by a file.
  return out === '/dev/stdout' || out === '-' ? null : out;
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

// `--to -2m` as `--to=-2m`: no flag of ours begins with a digit. And what stands alone gets its value.
function joinValues(command: Command, args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const flag = joined.at(-1) ?? '';
    const takesValue = flag.startsWith('--') && command.options[flag.slice(2)]?.type === 'string';
    const alone = arg.startsWith('--') ? command.options[arg.slice(2)]?.alone : undefined;
    if (takesValue && /^-\d/.test(arg)) joined[joined.length - 1] = `${flag}=${arg}`;
    else joined.push(alone === undefined ? arg : `${arg}=${alone}`);
  }
  return joined;
}

function refuseRepeated(command: Command, names: readonly string[]): void {
  const repeated = names.find((name, index) => {
    const option = command.options[name];
    const isSingle = option?.type === 'string' && option.multiple !== true;
    return isSingle && names.indexOf(name) !== index;
  });
  if (repeated !== undefined) throw new UsageError(`--${repeated} is given more than once`);
}

function parserOptions(command: Command) {
  return Object.fromEntries(
    Object.entries(command.options).map(([name, option]) => [
      name,
      {
        type: option.type,
        multiple: option.multiple ?? false,
        ...(option.short === undefined ? {} : { short: option.short }),
      },
    ]),
  );
}

function firstSentence(message: string): string {
  return message.split(/\. |\n/, 1)[0] ?? message;
}
