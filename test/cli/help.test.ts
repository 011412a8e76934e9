import { expect, test } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { commandHelp, mainHelp } from '../../src/cli/help.ts';
import { recordCommand } from '../../src/cli/record.ts';

const command: Command = {
  name: 'try',
  summary: 'Tries.',
  usage: ['headroom try', 'headroom try -- CMD'],
  options: {
    out: { type: 'string', value: 'FILE', help: 'where' },
    label: { type: 'string', value: 'K=V', multiple: true, help: 'what' },
    quiet: { type: 'boolean', help: 'how' },
  },
  examples: ['headroom try --quiet'],
  run: async () => 0,
};

test('a command’s page: usage, options in one column, examples', () => {
  expect(commandHelp(command).split('\n')).toEqual([
    'Tries.',
    '',
    'Usage:',
    '  headroom try',
    '  headroom try -- CMD',
    '',
    'Options:',
    '  --out FILE     where',
    '  --label K=V …  what',
    '  --quiet        how',
    '  -h, --help     this text',
    '',
    'Examples:',
    '  headroom try --quiet',
    '',
  ]);
});

test('the main page names every command', () => {
  const page = mainHelp([
    { name: 'record', summary: 'records' },
    { name: 'report', summary: 'tells' },
  ]);
  expect(page).toContain('  record  records\n  report  tells\n');
  expect(page).toContain('--version');
});

test('the page of record names every one of its flags', () => {
  const page = commandHelp(recordCommand);
  for (const name of Object.keys(recordCommand.options)) expect(page).toContain(`--${name}`);
});
