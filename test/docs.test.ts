import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { deathVerdicts } from '../src/analysis/death-cause.ts';
import type { Command } from '../src/cli/command.ts';
import { parseArguments } from '../src/cli/parse-arguments.ts';
import { errorCodes } from '../src/model/errors.ts';
import { headroomVersion } from '../src/model/version.ts';
import { fencedLines, localLinks, sections, tableRows } from './support/markdown.ts';
import { readSources } from './support/source-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json'));
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

const commands = await loadCommands();

describe('docs/errors.md', () => {
  const entries = sections(read('docs/errors.md'));

  test('has an entry for every code, in order, and none for others', () => {
    expect([...entries.keys()]).toEqual([...errorCodes]);
  });

  test.each([...entries])('%s says what it means and what to do', (_, text) => {
    expect(text).toMatch(/^[A-Z`].{20,}\n\n\*\*What to do:\*\* [A-Z`].{10,}$/);
  });
});

describe('docs/dependencies.md', () => {
  const bySection = sections(read('docs/dependencies.md'));

  test.each([
    ['At run time', ['dependencies', 'optionalDependencies'], 4],
    ['For development', ['devDependencies'], 2],
  ])('%s: the table lists what package.json has as %s', (heading, fields, width) => {
    const rows = tableRows(bySection.get(heading) ?? '');
    const listed = rows.map(([name]) => name?.replaceAll('`', ''));
    const wanted = fields.flatMap((field) => Object.keys(manifest[field]));
    expect(listed.sort()).toEqual(wanted.sort());
    for (const row of rows) {
      expect(row).toHaveLength(width);
      expect(row).not.toContain('');
    }
  });

  test('every version is exact', () => {
    const { dependencies, optionalDependencies, devDependencies } = manifest;
    const versions = Object.values({
      ...dependencies,
      ...optionalDependencies,
      ...devDependencies,
    });
    expect(
      versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version))),
    ).toEqual([]);
  });
});

describe('versions', () => {
  test('the program, the package and the changelog agree', () => {
    expect(headroomVersion).toBe(manifest.version);
    expect([...sections(read('CHANGELOG.md')).keys()][0]).toBe(manifest.version);
  });

  test('every line of the changelog says kind, area and what changed', () => {
    const lines = [...sections(read('CHANGELOG.md')).values()].flatMap((text) => text.split('\n'));
    const wrong = lines.filter((line) => line !== '' && !changeLine.test(line));
    expect(wrong).toEqual([]);
  });
});

const changeLine = /^- \[(FEATURE|CHANGE|BUGFIX)\] [a-z][a-z, -]*: \S.*\.$/;

test('docs/verdicts.md has a row for every verdict on a death, in order, and none for others', () => {
  const rows = tableRows(read('docs/verdicts.md'));
  expect(rows.map(([verdict]) => verdict?.replaceAll('`', ''))).toEqual([...deathVerdicts]);
  for (const row of rows) expect(row.slice(1, 3).join('')).not.toBe('');
});

test('docs/library.md names every export that is a value', async () => {
  const text = read('docs/library.md');
  const names = Object.keys(await import('../src/index.ts'));
  expect(names.filter((name) => !text.includes(`\`${name}`))).toEqual([]);
});

describe('docs/architecture.md', () => {
  test('its table of layers is the folders of src', () => {
    const rows = tableRows(sections(read('docs/architecture.md')).get('Layers') ?? '');
    const folders = readdirSync(path.join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `\`src/${entry.name}\``);
    expect(rows.map(([folder]) => folder).sort()).toEqual(folders.sort());
  });
});

describe('README.md', () => {
  const lines = fencedLines(read('README.md'), 'sh').filter((line) => line.startsWith('headroom '));

  test.each(lines)('%s is understood', (line) => {
    const [, first = '', second = '', ...args] = words(line);
    const ofTwo = commands.get(`${first} ${second}`);
    const command = ofTwo ?? commands.get(first);
    expect(command).toBeDefined();
    if (command === undefined) return;
    parseArguments(command, ofTwo === undefined && second !== '' ? [second, ...args] : args);
  });

  test('its table has every command', () => {
    const rows = tableRows(sections(read('README.md')).get('Use it') ?? '');
    const listed = rows.map(([command]) => command?.replaceAll('`', ''));
    expect(listed.sort()).toEqual([...commands.keys()].map((name) => `headroom ${name}`).sort());
  });
});

/** Every command of the tool, by name, from the files that define one. */
async function loadCommands(): Promise<Map<string, Command>> {
  const commands = new Map<string, Command>();
  for (const [file, source] of readSources(path.join(root, 'src'))) {
    const [, exported] = /^export const (\w+Command): Command\b/m.exec(source) ?? [];
    if (exported === undefined) continue;
    const command: Command = (await import(path.join(root, file)))[exported];
    commands.set(command.name, command);
  }
  return commands;
}

/** The words of a line of shell without quotes, up to a comment. */
function words(line: string): string[] {
  return line
    .replace(/\s#.*$/, '')
    .trim()
    .split(/\s+/);
}

test.each(documents)('%s links to files that exist', (document) => {
  const folder = path.dirname(path.join(root, document));
  const broken = localLinks(read(document)).filter(
    (target) => !existsSync(path.join(folder, target)),
  );
  expect(broken).toEqual([]);
});
