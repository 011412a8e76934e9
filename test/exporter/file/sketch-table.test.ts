import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sketchTable } from '../../../src/exporter/file/tables/sketch-table.ts';
import type { Cell } from '../../../src/exporter/file/tables/table.ts';
import type { TimeRange } from '../../../src/model/time-range.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { mib } from '../../support/fake-sample.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { knownSessions, recordKnownFleet } from '../../support/known-fleet.ts';

const folder = temporaryFolder();
beforeAll(() => {
  recordKnownFleet(folder);
});
afterAll(() => folder[Symbol.dispose]());

// known-fleet.ts: all sessions begin ten minutes before this hour.
const hourUnixMs = Date.UTC(2026, 10, 29, 15);

type Row = Readonly<Record<string, Cell>>;

function rows(id: string, metric: string, range: TimeRange = {}): Row[] {
  using recording = openRecording(folder.file(`${id}.db`));
  return [...sketchTable.rows(recording, range)]
    .map(
      (cells): Row =>
        Object.fromEntries(sketchTable.columns.map(({ name }, at) => [name, cells[at] ?? null])),
    )
    .filter((row) => row['scope'] === 'session' && row['metric'] === metric);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const list = (cell: Cell | undefined) => (Array.isArray(cell) ? cell : []);

test('a value is in its bucket', () => {
  // log2(50 MiB) × 2^7 = 3282.4: above the lower end of bucket 3282.
  expect(rows('no-label', 'working_set')).toEqual([
    {
      time: hourUnixMs - 3_600_000,
      scope: 'session',
      metric: 'working_set',
      unit: 'By',
      covered_ms: 1000,
      sum: 50 * mib * 1000,
      min: 50 * mib,
      max: 50 * mib,
      scale: 7,
      zero_ms: 0,
      bucket_index: [3282],
      bucket_ms: [1000],
    },
  ]);
});

test('an hour of the clock is a row, and together they are the whole session', () => {
  const used = knownSessions.find(({ id }) => id === 'search-1')?.usedMib ?? [];
  const expected = [used.slice(0, 600), used.slice(600)].map((part, hour) => ({
    time: hourUnixMs + (hour - 1) * 3_600_000,
    covered_ms: part.length * 1000,
    sum: sum(part) * mib * 1000,
    min: Math.min(...part) * mib,
    max: Math.max(...part) * mib,
  }));
  const found = rows('search-1', 'working_set');
  expect(found).toMatchObject(expected);
  for (const row of found) {
    expect(sum(list(row['bucket_ms']))).toBe(row['covered_ms']);
    expect(list(row['bucket_ms'])).not.toContain(0);
    expect(list(row['bucket_index'])).toHaveLength(list(row['bucket_ms']).length);
  }
});

test('what was 0 is counted apart', () => {
  expect(rows('checkout-1', 'browser_rss_sum')).toMatchObject([
    { zero_ms: 50_000, covered_ms: 100_000, min: 0, max: 200 * mib },
  ]);
});

describe('of a range', () => {
  const covered = (range: TimeRange) =>
    rows('search-1', 'working_set', range).map((row) => row['covered_ms']);

  test('both ends belong to it, and it is cut at the hour', () => {
    const fromUnixMs = hourUnixMs - 30_000;
    expect(covered({ fromUnixMs, toUnixMs: hourUnixMs + 5_000 })).toEqual([30_000, 6_000]);
    expect(covered({ fromUnixMs })).toEqual([30_000, 400_000]);
    expect(covered({ toUnixMs: hourUnixMs - 590_000 })).toEqual([11_000]);
  });

  test('in which nothing is', () => {
    expect(covered({ toUnixMs: hourUnixMs - 700_000 })).toEqual([]);
    expect(covered({ fromUnixMs: hourUnixMs + 700_000 })).toEqual([]);
  });
});
