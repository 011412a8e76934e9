import type { Command, OptionSpec } from './command.ts';

/** The whole `headroom COMMAND --help` page. */
export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]): [string, string] => [
    optionLabel(name, option),
    option.help,
  ]);
  options.push(['-h, --help', 'this text']);
  return [
    command.summary,
    '',
    'Usage:',
    ...command.usage.map((line) => `  ${line}`),
    '',
    'Options:',
    ...table(options),
    '',
    'Examples:',
    ...command.examples.map((line) => `  ${line}`),
    '',
  ].join('\n');
}

/** The page of commands that begin with the same word. */
export function groupHelp(
  name: string,
  commands: readonly { name: string; summary: string }[],
): string {
  return [
    'Usage:',
    `  headroom ${name} COMMAND [OPTIONS]`,
    '',
    'Commands:',
    ...table(
      commands.map((one): [string, string] => [one.name.slice(name.length + 1), one.summary]),
    ),
    '',
    `Each has options and examples: headroom ${name} COMMAND --help`,
    '',
  ].join('\n');
}

/** The page of `headroom --help`. */
export function mainHelp(commands: readonly { name: string; summary: string }[]): string {
  return [
    'headroom: the flight recorder for browser sessions',
    '',
    'Usage:',
    '  headroom COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...table(commands.map(({ name, summary }): [string, string] => [name, summary])),
    '',
    'Options:',
    ...table([
      ['-h, --help', 'this text; after a command: its options and examples'],
      ['--version', 'the version'],
    ]),
    '',
    'Examples:',
    '  headroom record --for 10m --out task.db',
    '  headroom record --out task.db -- node task.js',
    '  headroom report task.db',
    '  headroom export task.db --to otlp --endpoint http://localhost:4318',
    '',
    'Exit codes: 0 ok, 1 failed, 2 usage; a command that runs yours exits with yours.',
    '',
  ].join('\n');
}

function optionLabel(name: string, option: OptionSpec): string {
  const value = option.value ?? 'VALUE';
  const given = option.alone === undefined ? ` ${value}` : `[=${value}]`;
  const short = option.short === undefined ? '' : `-${option.short}, `;
  return `${short}--${name}${option.type === 'string' ? given : ''}${option.multiple === true ? ' …' : ''}`;
}

function table(rows: readonly [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
