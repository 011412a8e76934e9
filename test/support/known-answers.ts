import { expect } from 'vitest';

/**
 * What the statements of docs/sql.md have to answer of the known fleet, by heading: the value with
 * the rank ⌈q × n⌉ of the numbers in known-fleet.ts, each of which held for a second.
 */
export const knownAnswers: Readonly<Record<string, readonly object[]>> = {
  'Percentiles of each workload': [
    // 400 seconds of 101 … 500: ranks 200, 380, 396.
    { workload: 'checkout', hours: about(400 / 3600), ...mibs({ p50: 300, p95: 480, p99: 496 }) },
    { workload: 'search', hours: about(1000 / 3600), ...mibs({ p50: 500, p95: 950, p99: 990 }) },
    { workload: null, hours: about(1 / 3600), ...mibs({ p50: 50, p95: 50, p99: 50 }) },
  ],
  'Percentiles of each version': [
    // 100 seconds of 101 … 200.
    { version: '1', ...mibs({ p50: 150, p95: 195 }) },
    // 1300 seconds of 201 … 500 and 1 … 1000: up to 425 there are 425 + 225, up to 935 935 + 300.
    { version: '2', ...mibs({ p50: 425, p95: 935 }) },
  ],
  'OOM rate of each version': [
    { version: '1', sessions: 1, oom_sessions: 0, oom_rate: 0 },
    { version: '2', sessions: 2, oom_sessions: 2, oom_rate: 1 },
  ],
  'Peaks of each tier': [
    // 50, 200 and 1000 MiB.
    {
      tier: '1GiB',
      sessions: 3,
      p50_mib: 200,
      p95_mib: 1000,
      largest_mib: 1000,
      largest_ratio: 1000 / 1024,
    },
    {
      tier: '512MiB',
      sessions: 1,
      p50_mib: 500,
      p95_mib: 500,
      largest_mib: 500,
      largest_ratio: 500 / 512,
    },
  ],
};

/** Rows of an engine in the order of these answers: where it puts null differs. */
export function inOrder(rows: readonly Readonly<Record<string, unknown>>[]): object[] {
  const nullLast = (row: Readonly<Record<string, unknown>>) =>
    Number(Object.values(row)[0] === null);
  return rows
    .map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
    )
    .toSorted((a, b) => nullLast(a) - nullLast(b));
}

// Half the width of a bucket of scale 5 would do: 1.1 % is what is promised.
const promisedError = 0.011;

function about(value: number): unknown {
  return expect.toSatisfy((found) => Math.abs(Number(found) / value - 1) <= promisedError);
}

function mibs(values: Readonly<Record<string, number>>): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${name}_mib`, about(value)]),
  );
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
