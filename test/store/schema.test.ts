import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/driver.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { fencedLines, sections, tableRows } from '../support/markdown.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';

const page = readFileSync(new URL('../../docs/schema.md', import.meta.url), 'utf8');
const documented = new Map(
  [...sections(page)]
    // Of tables and views; other chapters begin as sentences do.
    .filter(([heading]) => /^[a-z]/.test(heading))
    .map(([heading, text]) => [heading.split(' ')[0] ?? '', text]),
);
const actual = new Map<string, string[]>();

beforeAll(() => {
  using folder = temporaryFolder();
  // The recording of a VM has every table that there is.
  const facts = { ...syntheticFacts(), source: 'agentos' };
  StoreWriter.open(folder.file('a.db'), facts).close({
    endedUnixMs: 0,
    endReason: 'signal',
  });
  const db = openDatabase(folder.file('a.db'), { mode: 'read', busyTimeoutMs: 0 });
  const names = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
    .pluck()
    .all();
  for (const name of names) {
    const columns = db
      .prepare<[string], string>('SELECT name FROM pragma_table_xinfo(?)')
      .pluck()
      .all(name);
    // Of a figure that is stored in KiB the page names the column that shows bytes.
    const isShown = (column: string) => !columns.includes(column.replace(/_kib$/, '_bytes'));
    actual.set(
      name,
      columns.filter((column) => !column.endsWith('_kib') || isShown(column)),
    );
  }
  db.close();
});

describe('docs/schema.md', () => {
  test('has every table and view, and no other', () => {
    expect([...documented.keys()].toSorted()).toEqual([...actual.keys()].toSorted());
  });

  test.each([...documented])('has every column of %s, and no other', (name, text) => {
    const columns = tableRows(text).flatMap(([first = '']) =>
      [...first.matchAll(/`([^`]+)`/g)].map(([, column]) => column),
    );
    expect(columns.toSorted()).toEqual(actual.get(name)?.toSorted());
  });

  test('has examples that a SQLite shell runs', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const writer = StoreWriter.open(file, syntheticFacts());
    for (const sample of syntheticSamples({ tickCount: 70, processCount: 20 })) {
      writer.writeSample(sample, []);
    }
    writer.close({ endedUnixMs: 0, endReason: 'signal' });
    const examples = fencedLines(page, 'sql').join('\n').split('\n\n');
    expect(examples.length).toBeGreaterThan(1);
    for (const sql of examples) {
      const output = execFileSync('sqlite3', ['-readonly', file, sql], { encoding: 'utf8' });
      expect(output.trim().split('\n').length).toBeGreaterThan(1);
    }
  });
});
