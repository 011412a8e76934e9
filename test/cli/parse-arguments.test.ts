import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { UsageError } from '../../src/cli/command.ts';
import {
  listOption,
  nameOption,
  outputOption,
  parseArguments,
  switchOption,
  textOption,
} from '../../src/cli/parse-arguments.ts';

const command: Command = {
  name: 'try',
  summary: 'Tries.',
  usage: ['headroom try'],
  options: {
    out: { type: 'string', value: 'FILE', help: 'where' },
    label: { type: 'string', multiple: true, help: 'what' },
    quiet: { type: 'boolean', help: 'how' },
    most: { type: 'string', value: 'N', alone: '20', help: 'how many' },
  },
  examples: [],
  run: async () => 0,
};

test('values, switches, lists and positionals', () => {
  const parsed = parseArguments(command, [
    'a.db',
    '--out=x',
    '--label',
    'a=1',
    '--label=b=2',
    '-h',
  ]);
  expect(textOption(parsed, 'out')).toBe('x');
  expect(listOption(parsed, 'label')).toEqual(['a=1', 'b=2']);
  expect(switchOption(parsed, 'quiet')).toBe(false);
  expect(switchOption(parsed, 'help')).toBe(true);
  expect(parsed.positionals).toEqual(['a.db']);
  expect(parsed.rest).toBeNull();
});

test('what was not given', () => {
  const parsed = parseArguments(command, []);
  expect(textOption(parsed, 'out')).toBeNull();
  expect(listOption(parsed, 'label')).toEqual([]);
  expect(switchOption(parsed, 'quiet')).toBe(false);
});

test('a flag may stand alone, and takes another value with = only', () => {
  const alone = parseArguments(command, ['--most', '5', '--quiet']);
  expect(textOption(alone, 'most')).toBe('20');
  expect(alone.positionals).toEqual(['5']);
  expect(textOption(parseArguments(command, ['--most=5']), 'most')).toBe('5');
  expect(() => parseArguments(command, ['--most', '--most=5'])).toThrow('--most');
});

test.each([[['--out=-2m']], [['--out', '-2m']]])('a value may begin with a dash: %j', (args) => {
  expect(textOption(parseArguments(command, args), 'out')).toBe('-2m');
});

test('a number after a switch is no value of it', () => {
  expect(() => parseArguments(command, ['--quiet', '-2'])).toThrow('-2');
});

test('a name may not be empty, and /dev/stdout is stdout', () => {
  expect(() => nameOption(parseArguments(command, ['--out', '']), 'out')).toThrow(UsageError);
  expect(outputOption(parseArguments(command, ['--out', '/dev/stdout']))).toBeNull();
  expect(outputOption(parseArguments(command, ['--out', 'a.txt']))).toBe('a.txt');
});

test('everything after -- is the command’s, another -- as well', () => {
  const args = ['--quiet', '--', 'node', 'x.js', '--out', '--', '-h', ''];
  const parsed = parseArguments({ ...command, takesCommand: true }, args);
  expect(parsed.rest).toEqual(['node', 'x.js', '--out', '--', '-h', '']);
  expect(textOption(parsed, 'out')).toBeNull();
  expect(switchOption(parsed, 'help')).toBe(false);
  expect(parseArguments({ ...command, takesCommand: true }, ['--']).rest).toEqual([]);
});

test('a command that runs none takes what is after -- as positionals', () => {
  const parsed = parseArguments(command, ['a.db', '--', '-b.db', '--out']);
  expect(parsed.positionals).toEqual(['a.db', '-b.db', '--out']);
  expect(parsed.rest).toBeNull();
});

describe('usage errors name the flag, in one line', () => {
  test.each([
    ['an unknown flag', ['--bogus'], '--bogus'],
    ['an unknown short flag', ['-x'], '-x'],
    ['no value', ['--out'], '--out'],
    ['no value before --', ['--out', '--', 'node'], '--out'],
    ['another flag for a value', ['--out', '--quiet'], '--out'],
    ['a value for a switch', ['--quiet=yes'], '--quiet'],
    ['a flag twice', ['--out', 'a', '--out=b'], '--out is given more than once'],
    ['a near miss', ['--labels', 'a=1'], '--labels'],
  ])('%s', (_, args, flag) => {
    const parse = () => parseArguments(command, args);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(flag);
    expect(parse).toThrow(/^[^\n]+$/);
  });
});
