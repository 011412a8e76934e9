/** One option of a command: what the parser accepts and what `--help` prints. */
export interface OptionSpec {
  type: 'string' | 'boolean';
  /** Name of the value in the help: `D`, `FILE`, `K=V`. */
  value?: string;
  /** The one letter of its short form. */
  short?: string;
  /** The value of a flag that stands alone; another one is then given with `=`. */
  alone?: string;
  multiple?: boolean;
  help: string;
}

/** What the parser made of the command line. */
export interface ParsedArguments {
  values: Readonly<Record<string, string | boolean | string[] | undefined>>;
  positionals: readonly string[];
  /** The command to run after `--`, unchanged; null when there was no `--`. */
  rest: readonly string[] | null;
}

/** Where a command writes: data to stdout, messages and progress to stderr. */
export interface CommandIo {
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  env: Readonly<Record<string, string | undefined>>;
  /** Fires with the signal's name when the user or the system asks to end; ends are clean. */
  signal: AbortSignal;
  /** Fires when it is asked a second time: whoever waits for somebody else stops waiting. */
  hurry: AbortSignal;
}

/** A command of the tool. `run` gives the exit code: 0 ok, 1 failed, or that of a command it ran. */
export interface Command {
  name: string;
  summary: string;
  usage: readonly string[];
  options: Readonly<Record<string, OptionSpec>>;
  /** What stands after `--` is a command to run; else these are positionals like any other. */
  takesCommand?: boolean;
  examples: readonly string[];
  run(parsed: ParsedArguments, io: CommandIo): Promise<number>;
}

/** The user typed something that makes no sense; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
