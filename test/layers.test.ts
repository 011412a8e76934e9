import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { layerBreaches } from './support/layers.ts';
import { loadedPackages } from './support/loaded-packages.ts';
import { readSources } from './support/source-files.ts';

const sources = readSources(fileURLToPath(new URL('../src', import.meta.url)));

describe('layers', () => {
  test('src keeps to the table', () => {
    expect(sources.size).toBeGreaterThan(10);
    expect(layerBreaches(sources)).toEqual([]);
  });

  test.each([
    [
      'src/collector/a.ts',
      'collector may import only model',
      "import { openStore } from '../store/writer.ts';",
    ],
    [
      'src/collector/a.ts',
      'collector may import only model',
      "import type { Row } from '../store/writer.ts';",
    ],
    [
      'src/collector/a.ts',
      'collector may import only model',
      "const a = await import('../store/writer.ts');",
    ],
    ['src/model/a.ts', 'model may import only itself', "import { b } from '../collector/b.ts';"],
    [
      'src/analysis/a.ts',
      'analysis may import only model, store/reader',
      "import { b } from '../report/b.ts';",
    ],
    [
      'src/analysis/a.ts',
      'analysis may import only model, store/reader',
      "import { b } from '../store/writer.ts';",
    ],
    [
      'src/exporter/a.ts',
      'exporter may import only model, store/reader',
      "import {\n  b,\n} from '../analysis/b.ts';",
    ],
    ['src/report/a.ts', 'only src/store/ may', "import Database from 'better-sqlite3';"],
    ['src/cli/a.ts', 'only src/exporter/ may', "import { core } from '@opentelemetry/core';"],
    ['src/collector/a.ts', 'only src/collector/portable/ may', "import pidusage from 'pidusage';"],
    ['src/model/a.ts', 'no layer is meant to use', "import 'left-pad';"],
    ['src/cli/a.ts', 'outside of src', "import { b } from '../../test/support/b.ts';"],
    ['src/helpers/a.ts', 'not in the table', ''],
    ['src/model/all.ts', 'hands on', "export * from './errors.ts';"],
    ['src/model/all.ts', 'hands on', "export { a } from './errors.ts';"],
    ['src/cli/a.ts', 'below /proc', "readFileSync('/proc/meminfo')"],
    ['src/cli/a.ts', 'below /proc', 'readFileSync(`/proc/$' + '{pid}/stat`)'],
    ['src/model/a.ts', '302 lines', `${'\n'.repeat(301)}x`],
  ])('%s: %s', (file, breach, source) => {
    expect(layerBreaches(new Map([[file, source]]))).toEqual([expect.stringContaining(breach)]);
  });

  test.each([
    ['src/analysis/a.ts', "import { b } from '../store/reader.ts';"],
    ['src/store/a.ts', "import Database from 'better-sqlite3';"],
    ['src/exporter/a.ts', "import { b } from '@opentelemetry/sdk-metrics';"],
    ['src/cli/a.ts', "export function read(root = '/proc') {}"],
    ['src/cli/a.ts', "// as in import 'left-pad'\n/* reads '/proc/meminfo' */"],
    ['src/index.ts', "export { a } from './model/errors.ts';"],
  ])('%s is allowed: %j', (file, source) => {
    expect(layerBreaches(new Map([[file, source]]))).toEqual([]);
  });
});

describe('the recorder stays small', () => {
  const entries = ['src/cli/headroom.cts', 'src/cli/run-cli.ts', 'src/cli/recorder.ts'];

  test('record loads no package; the store takes a SQLite driver when it opens a file', () => {
    expect([...loadedPackages(sources, entries)]).toEqual([]);
  });

  test('an import three files away is found, a type or a dynamic import is not loaded', () => {
    const planted = new Map([
      ['src/a.ts', "import { b } from './x/b.ts';"],
      [
        'src/x/b.ts',
        "import '../c.ts';\nimport type { D } from './d.ts';\nawait import('./e.ts');",
      ],
      ['src/c.ts', "import { Meter } from '@opentelemetry/api';"],
    ]);
    expect([...loadedPackages(planted, ['src/a.ts'])]).toEqual(['@opentelemetry/api']);
  });
});
