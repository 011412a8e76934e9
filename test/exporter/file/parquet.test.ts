import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readOrigin } from '../../../src/exporter/file/parquet/origin.ts';
import { parquetParts } from '../../../src/exporter/file/parquet/parquet.ts';
import { partitionPath } from '../../../src/exporter/file/parquet/partition-path.ts';
import { sampleTable } from '../../../src/exporter/file/tables/sample-table.ts';
import {
  type Cell,
  type ColumnKind,
  type Table,
  tableOf,
} from '../../../src/exporter/file/tables/table.ts';
import { tables } from '../../../src/exporter/file/tables/tables.ts';
import { duckdb } from '../../support/duckdb.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import { fakeFacts, mib } from '../../support/fake-sample.ts';
import { goldenRecording } from '../../support/golden-recording.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => folder[Symbol.dispose]());

const empty = fakeRecording({ samples: [] });

function writeTable(table: Table, recording = empty): string {
  const file = folder.file(`${table.name}.parquet`);
  const parts: Uint8Array[] = [];
  // A part is good until the next one is asked for.
  for (const part of parquetParts(table, recording, { origin: 'made by a test' })) {
    parts.push(part.slice());
  }
  writeFileSync(file, Buffer.concat(parts));
  return file;
}

/** One column with these cells. */
function column(kind: ColumnKind, cells: readonly Cell[], name = 'cell'): Table {
  return tableOf<Cell>({
    name: `column_${kind}`,
    help: '',
    columns: [{ name, kind, read: (cell) => cell }],
    records: () => cells,
  });
}

describe('values, as DuckDB reads them', () => {
  test.each<[ColumnKind, Cell[], string, unknown[]]>([
    [
      'integer',
      [0, null, -1, 9007199254740993n, 9223372036854771712n, 1554718408704],
      'BIGINT',
      [0n, null, -1n, 9007199254740993n, 9223372036854771712n, 1554718408704n],
    ],
    ['real', [0, null, 0.1, -2.5], 'DOUBLE', [0, null, 0.1, -2.5]],
    [
      'text',
      ['', null, 'a\u00e9\ud83d\ude00', '=1'],
      'VARCHAR',
      ['', null, 'a\u00e9\ud83d\ude00', '=1'],
    ],
    ['boolean', [true, null, false], 'BOOLEAN', [true, null, false]],
  ])('%s', async (kind, cells, type, values) => {
    const file = writeTable(column(kind, cells));
    const rows = await duckdb(`SELECT cell, typeof(cell) AS type FROM '${file}'`);
    expect(rows.map(({ cell }) => cell)).toEqual(values);
    expect(rows.map((row) => row['type'])).toEqual(values.map(() => type));
  });

  test('an instant is a time in UTC', async () => {
    const file = writeTable(column('instant', [1_795_960_800_007, null]));
    expect(
      await duckdb(`SELECT typeof(cell) AS type, epoch_ms(cell) AS ms FROM '${file}'`),
    ).toEqual([
      { type: 'TIMESTAMP WITH TIME ZONE', ms: 1_795_960_800_007n },
      { type: 'TIMESTAMP WITH TIME ZONE', ms: null },
    ]);
  });

  test('a list of integers, also an empty one and none', async () => {
    const file = writeTable(column('integers', [[1, -2], [], null, [9007199254740991]]));
    expect(
      await duckdb(`SELECT typeof(cell) AS type, cell::VARCHAR AS text FROM '${file}'`),
    ).toEqual(
      ['[1, -2]', '[]', null, '[9007199254740991]'].map((text) => ({ type: 'BIGINT[]', text })),
    );
  });

  test('a number that was rounded when it was read is refused', () => {
    expect(() => writeTable(column('integers', [[1, 2 ** 53]]))).toThrow('no exact integer');
    expect(() => writeTable(column('integer', [2 ** 53]))).toThrow('no exact integer');
  });
});

describe('a recording', () => {
  test.each(tables.map((table) => [table.name, table] as const))(
    '%s has every row and column, and its types',
    async (_, table) => {
      const file = writeTable(table, goldenRecording());
      const [count] = await duckdb(`SELECT count(*) AS rows FROM '${file}'`);
      expect(count?.['rows']).toBe(BigInt([...table.rows(goldenRecording(), {})].length));
      const types = {
        integer: 'BIGINT',
        integers: 'BIGINT[]',
        real: 'DOUBLE',
        text: 'VARCHAR',
        boolean: 'BOOLEAN',
        instant: 'TIMESTAMP WITH TIME ZONE',
      };
      const described = await duckdb(`DESCRIBE FROM '${file}'`);
      expect(described.map((row) => [row['column_name'], row['column_type']])).toEqual([
        ['session_id', 'VARCHAR'],
        ...table.columns.map(({ name, kind }) => [name, types[kind]]),
      ]);
    },
  );

  test('a figure at its time, and what is unknown is null', async () => {
    const file = writeTable(sampleTable, goldenRecording());
    const [row] = await duckdb(
      `SELECT epoch_ms(time) AS ms, working_set_bytes, utilization_ratio, swap_used_bytes
       FROM '${file}' WHERE sequence = 31`,
    );
    // golden-recording.ts, second 30, after ten minutes of standby.
    expect(row).toEqual({
      ms: 1_795_961_430_000n,
      working_set_bytes: BigInt(250 * mib),
      utilization_ratio: 0.625,
      swap_used_bytes: null,
    });
  });

  test('statistics let an engine skip: least, largest and nulls of each row group', async () => {
    // 200,000 cells are a group.
    const cells = Array.from({ length: 100_001 }, (_, index) => (index === 7 ? null : index));
    const file = writeTable(column('integer', cells));
    const groups = await duckdb(
      `SELECT row_group_id::INT AS id, num_values, stats_min_value, stats_max_value, stats_null_count
       FROM parquet_metadata('${file}') WHERE path_in_schema = 'cell' ORDER BY id`,
    );
    expect(groups).toEqual([
      {
        id: 0,
        num_values: 100_000n,
        stats_min_value: '0',
        stats_max_value: '99999',
        stats_null_count: 1n,
      },
      {
        id: 1,
        num_values: 1n,
        stats_min_value: '100000',
        stats_max_value: '100000',
        stats_null_count: 0n,
      },
    ]);
    const [sum] = await duckdb(`SELECT sum(cell)::BIGINT AS sum FROM '${file}'`);
    // 0 + 1 + … + 100000, without 7.
    expect(sum?.['sum']).toBe(5_000_049_993n);
  });

  test('its origin is in the footer; no other file has one', async () => {
    expect(await readOrigin(writeTable(sampleTable, goldenRecording()))).toBe('made by a test');
    writeFileSync(folder.file('no.parquet'), 'PAR1 and no more');
    expect(await readOrigin(folder.file('no.parquet'))).toBeNull();
  });
});

describe('partitions', () => {
  const pathOf = (workload?: string) =>
    partitionPath('samples', fakeFacts({ labels: workload === undefined ? {} : { workload } }));

  test('are by the day on which the session began, and its workload', () => {
    expect(pathOf('checkout')).toBe(
      'samples/date=2026-11-29/workload=checkout/3f1f3a52-8a35-4d5f-9d3a-000000000001.parquet',
    );
    expect(pathOf()).toContain('/workload=__HIVE_DEFAULT_PARTITION__/');
    expect(pathOf('')).toContain('/workload=__HIVE_DEFAULT_PARTITION__/');
  });

  test.each([
    ['../../etc', 'workload=..%2F..%2Fetc'],
    ['a/b', 'workload=a%2Fb'],
    ['50%', 'workload=50%25'],
    ['a=b: c\n', 'workload=a%3Db%3A c%0A'],
    ['\u00e9', 'workload=\u00e9'],
  ])('the label %j is %s: one folder, inside', (label, name) => {
    expect(pathOf(label).split('/')).toEqual([
      'samples',
      'date=2026-11-29',
      name,
      '3f1f3a52-8a35-4d5f-9d3a-000000000001.parquet',
    ]);
  });

  test('a label too long for the name of a folder is cut, and two of them stay two', () => {
    const folderOf = (label: string) => pathOf(label).split('/')[2] ?? '';
    // `printf %0300d 0 | tr 0 x | sha256sum`; 255 bytes without the 9 before and the 17 behind.
    expect(folderOf('x'.repeat(300))).toBe(`workload=${'x'.repeat(229)}-0d4e2ca9e9cbced7`);
    expect(folderOf('x'.repeat(246))).toBe(`workload=${'x'.repeat(246)}`);
    expect(folderOf(`${'x'.repeat(300)}a`)).not.toBe(folderOf(`${'x'.repeat(300)}b`));
    // Bytes count, and no escape or character is cut through: 76 of 3 bytes, 57 of 4.
    expect(folderOf('/'.repeat(100))).toMatch(/^workload=(%2F){76}-[0-9a-f]{16}$/);
    expect(folderOf('\u{1f600}'.repeat(64))).toMatch(/^workload=(\u{1f600}){57}-[0-9a-f]{16}$/u);
  });

  test('likewise the id of a session', () => {
    const fileOf = (id: string) => partitionPath('samples', fakeFacts({ id })).split('/')[3] ?? '';
    expect(fileOf('x'.repeat(400))).toBe(`${'x'.repeat(230)}-7b0bd700ce066ef3.parquet`);
    expect(fileOf('a.b')).toMatch(/^a_b-[0-9a-f]{16}\.parquet$/);
    expect(fileOf('a.b')).not.toBe(fileOf('a:b'));
  });
});
