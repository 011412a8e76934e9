import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { csvHeader, csvRecords } from '../../../src/exporter/file/csv.ts';
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
import { fakeSample, mib, startUnixMs } from '../../support/fake-sample.ts';
import { goldenRecording } from '../../support/golden-recording.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

const empty = fakeRecording({ samples: [], facts: { labels: { workload: 'check-out' } } });

/** A table with these cells in its columns, in one row. */
function oneRow(cells: Record<string, { kind: ColumnKind; cell: Cell }>): Table {
  return tableOf({
    name: 'made-up',
    help: '',
    columns: Object.entries(cells).map(([name, { kind, cell }]) => ({
      name,
      kind,
      read: () => cell,
    })),
    records: () => [null],
  });
}

function textRecord(text: string): string | undefined {
  const [record] = csvRecords(oneRow({ text: { kind: 'text', cell: text } }), empty);
  return record?.replace(/^[^,]*,check-out,/, '').replace(/\r\n$/, '');
}

describe('RFC 4180', () => {
  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['a "b"', '"a ""b"""'],
    ['a\nb', '"a\nb"'],
    ['a\r\nb', '"a\r\nb"'],
    ['', ''],
  ])('%j is written as %j', (text, field) => {
    expect(textRecord(text)).toBe(field);
  });

  test('a header, CRLF behind each record, unknown is empty and 0 is 0', () => {
    const table = oneRow({
      time: { kind: 'instant', cell: startUnixMs + 7 },
      a_bytes: { kind: 'integer', cell: 0 },
      b_bytes: { kind: 'integer', cell: null },
      c_ratio: { kind: 'real', cell: 0.25 },
      d: { kind: 'integers', cell: [3, -1] },
    });
    expect([csvHeader(table), ...csvRecords(table, empty)].join('')).toBe(
      'session_id,workload,time_utc,a_bytes,b_bytes,c_ratio,d\r\n' +
        '3f1f3a52-8a35-4d5f-9d3a-000000000001,check-out,2026-11-29 14:00:00.007,0,,0.25,"[3,-1]"\r\n',
    );
  });

  test('integers above 2^53 are exact, and one that was rounded is refused', () => {
    const record = (cell: number | bigint) =>
      [...csvRecords(oneRow({ n: { kind: 'integer', cell } }), empty)].join('');
    // Case 105.
    expect(record(9007199254740993n)).toContain(',9007199254740993\r\n');
    expect(record(9223372036854771712n)).toContain(',9223372036854771712\r\n');
    expect(() => record(9007199254740992)).toThrow('no exact integer');
  });
});

describe('no text is run as a formula', () => {
  // OWASP, "CSV Injection".
  test.each([
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-bash', `"'-bash"`],
    ['@SUM(1)', `"'@SUM(1)"`],
    ['\t=1', `"\t'=1"`],
    ['  =1', `"  '=1"`],
    ['\uff1d1', `"'\uff1d1"`],
    ["=cmd|' /C calc'!A0", `"'=cmd|' /C calc'!A0"`],
    // Where the list separator is a semicolon, a cell begins here.
    ['a;=1', `"a;'=1"`],
    ['a\n=1', `"a\n'=1"`],
    ['--type=gpu', `"'--type=gpu"`],
    ['/usr/bin/chromium --type=gpu', '/usr/bin/chromium --type=gpu'],
    ['a=b', 'a=b'],
  ])('%j is written as %j', (text, field) => {
    expect(textRecord(text)).toBe(field);
  });

  test('a negative number stays a number', () => {
    const records = csvRecords(oneRow({ n: { kind: 'integer', cell: -1000 } }), empty);
    expect([...records].join('')).toMatch(/,-1000\r\n$/);
  });
});

describe('read by DuckDB', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeAll(() => {
    folder = temporaryFolder();
  });
  afterAll(() => folder[Symbol.dispose]());

  async function readBack(table: Table, recording = goldenRecording()) {
    const file = folder.file(`${table.name}.csv`);
    writeFileSync(file, [csvHeader(table), ...csvRecords(table, recording)].join(''));
    // It may guess the types, and must not skip or repair a record.
    return await duckdb(`FROM read_csv('${file}', strict_mode = true, null_padding = false)`);
  }

  test.each(tables.map((table) => [table.name, table] as const))(
    '%s has as many columns as its header, and no record is refused',
    async (_, table) => {
      const rows = await readBack(table);
      expect(rows).toHaveLength([...table.rows(goldenRecording(), {})].length);
      for (const row of rows) expect(Object.keys(row)).toHaveLength(table.columns.length + 2);
    },
  );

  test('a sample: times, bytes, ratios and what is unknown', async () => {
    const rows = await readBack(sampleTable);
    expect(rows).toHaveLength(101);
    // golden-recording.ts: 140 + 50 + 2 × 30 MiB charged at second 30, less nothing inactive.
    expect(rows[30]).toMatchObject({
      session_id: '3f1f3a52-8a35-4d5f-9d3a-000000000001',
      workload: null,
      sequence: 31n,
      working_set_bytes: BigInt(250 * mib),
      available_bytes: BigInt(150 * mib),
      utilization_ratio: 0.625,
      limit_bytes: BigInt(400 * mib),
      swap_used_bytes: null,
      cgroup_path: '/session',
      pressure_memory_some_ms: 1200n,
    });
    expect(String(rows[30]?.['time_utc'])).toBe('2026-11-29 14:10:30');
    // Kept since the start by the kernel, and after the kill the peak of the cgroup.
    expect(rows[100]?.['peak_bytes']).toBe(BigInt(400 * mib));
  });

  test('any text comes back as it was, but for the apostrophe that defuses it', async () => {
    const texts = fc.sample(
      fc.string({
        unit: fc.constantFrom('a', ',', '"', '\n', '=', '-', ';', '\u00e9', '\ud83d\ude00'),
      }),
      { numRuns: 200, seed: 1 },
    );
    const table = tableOf<string>({
      name: 'texts',
      help: '',
      columns: [{ name: 'text', kind: 'text', read: (text) => text }],
      records: () => texts,
    });
    const file = folder.file('texts.csv');
    writeFileSync(file, [csvHeader(table), ...csvRecords(table, empty)].join(''));
    const rows = await duckdb(`FROM read_csv('${file}', all_varchar = true, header = true)`);
    const plain = (text: unknown) => String(text ?? '').replaceAll("'", '');
    expect(rows.map(({ text }) => plain(text))).toEqual(texts);
  });
});

test('a time that cannot be is a damaged file, not a crash', () => {
  const samples = [fakeSample({ second: 0, timeUnixMs: 9e15 })];
  expect(() => [...csvRecords(sampleTable, fakeRecording({ samples }))]).toThrow('no time');
});
