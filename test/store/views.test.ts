import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProcessReading, Sample } from '../../src/model/sample.ts';
import {
  availableBytes,
  sessionLimit,
  utilizationRatio,
  workingSetBytes,
} from '../../src/model/session-memory.ts';
import { memoryStepBytes } from '../../src/store/sparse-rule.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, running } from '../support/record-samples.ts';
import {
  syntheticFacts,
  syntheticSamples,
  syntheticStartUnixMs,
} from '../support/synthetic-session.ts';

type Row = Record<string, number | string | null>;

/** What a person sees who opens the file with the SQLite shell of the system. */
function shell(file: string, sql: string): Row[] {
  const text = execFileSync('sqlite3', ['-readonly', '-json', file, sql], { encoding: 'utf8' });
  return text === '' ? [] : (JSON.parse(text) as Row[]);
}

function write(file: string, samples: Iterable<Sample>): void {
  const writer = StoreWriter.open(file, running);
  for (const sample of samples) writer.writeSample(sample, []);
  writer.close(ended);
}

describe('of a session', () => {
  const folder = temporaryFolder();
  const samples = [...syntheticSamples({ tickCount: 150, processCount: 30 })];
  const file = folder.file('a.db');

  beforeAll(() => {
    const writer = StoreWriter.open(file, syntheticFacts());
    for (const sample of samples) writer.writeSample(sample, []);
    writer.close(ended);
  });
  afterAll(() => folder[Symbol.dispose]());

  test('session_sample has the derived figures of the model', () => {
    const rows = shell(file, 'SELECT * FROM session_sample ORDER BY sequence');
    expect(rows).toHaveLength(150);
    rows.forEach((row, at) => {
      const sample = samples[at];
      if (sample === undefined) throw new Error('more rows than samples');
      expect(row).toMatchObject({
        sequence: sample.sequence,
        t: sample.timeUnixMs / 1000,
        time: new Date(sample.timeUnixMs).toISOString(),
        limit_bytes: sessionLimit(sample).bytes,
        working_set_bytes: workingSetBytes(sample),
        available_bytes: availableBytes(sample),
        browser_process_count: sample.browser.processCount,
        browser_unreclaimable_bytes: sample.browser.unreclaimableBytes,
        browser_pss_estimated_bytes: sample.browser.pssEstimatedBytes,
        browser_rss_sum_bytes: sample.browser.rssSumBytes,
      });
      expect(row['utilization_ratio']).toBeCloseTo(utilizationRatio(sample) ?? Number.NaN, 12);
    });
  });

  test('process_detail has the facts of every process', () => {
    const facts = samples.flatMap(({ processes }) => processes);
    const expected = new Map(
      facts.map((reading) => [
        reading.pid,
        {
          role: reading.role,
          command: reading.command,
          cgroup: reading.cgroup,
          oom_score_adj: reading.oomScoreAdj,
          descriptor_count: reading.descriptorCount,
          read_bytes: reading.readBytes,
          written_bytes: reading.writtenBytes,
        },
      ]),
    );
    const rows = shell(file, 'SELECT * FROM process_detail ORDER BY process');
    expect(rows.map(({ pid }) => pid)).toEqual([...expected.keys()]);
    expect(rows).toMatchObject([...expected.values()]);
  });

  test('sample says for how long each row holds, and then is within one step of the truth', () => {
    const rows = shell(
      file,
      `SELECT pid, t, valid_until, rss_bytes, anon_bytes, pss_estimated_bytes FROM sample
       ORDER BY pid, t`,
    );
    for (const sample of samples) {
      const now = sample.timeUnixMs / 1000;
      for (const process of sample.processes) {
        const row = rows.findLast(({ pid, t }) => pid === process.pid && Number(t) <= now);
        expect(Number(row?.['valid_until']), `pid ${process.pid}`).toBeGreaterThan(now);
        for (const [column, value] of [
          ['rss_bytes', process.rssBytes],
          ['anon_bytes', process.anonBytes],
          ['pss_estimated_bytes', process.pssEstimatedBytes],
        ] as const) {
          if (value === null) continue;
          expect(Math.abs(Number(row?.[column]) - value)).toBeLessThan(
            memoryStepBytes(Number(row?.['rss_bytes'])),
          );
        }
      }
    }
  });

  test('role_sample has the sums of each role', () => {
    const rows = shell(file, 'SELECT * FROM role_sample ORDER BY sequence');
    for (const sample of samples) {
      const renderers = sample.processes.filter(({ role }) => role === 'renderer');
      const row = rows.findLast(
        ({ role, sequence }) => role === 'renderer' && Number(sequence) <= sample.sequence,
      );
      expect(row?.['process_count']).toBe(renderers.length);
      const rss = sum(renderers, 'rssBytes') ?? 0;
      expect(Math.abs(Number(row?.['rss_bytes']) - rss)).toBeLessThan(
        20 * memoryStepBytes(400 * mib),
      );
      const pss = sum(renderers, 'pssEstimatedBytes');
      if (pss === null) expect(row?.['pss_bytes']).toBeNull();
      else
        expect(Math.abs(Number(row?.['pss_bytes']) - pss)).toBeLessThan(
          20 * memoryStepBytes(400 * mib),
        );
    }
    expect(rows.some(({ pss_bytes: pss }) => pss !== null)).toBe(true);
    expect(new Set(rows.map(({ role }) => role))).not.toContain('other');
  });

  test('percentile has one row for each minute and series', () => {
    const rows = shell(
      file,
      `SELECT * FROM percentile WHERE scope = 'session' AND metric = 'browser_rss_sum' ORDER BY t`,
    );
    expect(rows.map(({ time, sample_count: count }) => [time, count])).toEqual([
      ['2026-01-05T10:00:00.000Z', 60],
      ['2026-01-05T10:01:00.000Z', 60],
      ['2026-01-05T10:02:00.000Z', 30],
    ]);
    const minute = samples.slice(60, 120).map(({ browser }) => browser.rssSumBytes ?? 0);
    expect(rows[1]).toMatchObject({
      t: syntheticStartUnixMs / 1000 + 60,
      span_seconds: 60,
      min: Math.min(...minute),
      max: Math.max(...minute),
    });
    const p50 = minute.toSorted((a, b) => a - b)[29] ?? Number.NaN;
    expect(Math.abs(Number(rows[1]?.['p50']) / p50 - 1)).toBeLessThan(0.011);
  });

  test('tables show bytes under the names of the model', () => {
    expect(
      shell(file, 'SELECT machine_free_bytes, cgroup_charged_bytes FROM tick WHERE sequence = 7'),
    ).toEqual([
      {
        machine_free_bytes: samples[6]?.machine.freeBytes,
        cgroup_charged_bytes: samples[6]?.cgroup?.chargedBytes,
      },
    ]);
    expect(
      shell(file, 'SELECT sequence, process, rss_bytes FROM process_sample ORDER BY key LIMIT 2'),
    ).toEqual([
      { sequence: 1, process: 1, rss_bytes: samples[0]?.processes[0]?.rssBytes },
      { sequence: 1, process: 2, rss_bytes: samples[0]?.processes[1]?.rssBytes },
    ]);
  });
});

test('role_sample follows processes that come, are read and go', () => {
  using folder = temporaryFolder();
  const renderer = (pid: number, rss: number, pss: number | null) =>
    fakeProcess({
      pid,
      role: 'renderer',
      rssBytes: rss * mib,
      anonBytes: rss * mib,
      pssBytes: pss === null ? null : pss * mib,
      pssEstimatedBytes: pss === null ? null : pss * mib,
    });
  write(folder.file('a.db'), [
    fakeSample({ second: 0, processes: [renderer(1, 50, 40)] }),
    fakeSample({ second: 1, processes: [renderer(1, 50, null), renderer(2, 30, null)] }),
    fakeSample({ second: 2, processes: [renderer(1, 60, null), renderer(2, 30, 20)] }),
    fakeSample({ second: 3, processes: [renderer(2, 30, null)] }),
    fakeSample({ second: 4, processes: [] }),
    fakeSample({ second: 5, processes: [] }),
  ]);
  const rows = shell(folder.file('a.db'), 'SELECT * FROM role_sample ORDER BY sequence');
  const second = (at: number) => startUnixMs / 1000 + at;
  expect(
    rows.map((row) => [
      row['t'],
      row['valid_until'],
      row['process_count'],
      row['rss_bytes'],
      row['pss_bytes'],
    ]),
  ).toEqual([
    [second(0), second(1), 1, 50 * mib, 40 * mib],
    [second(1), second(2), 2, 80 * mib, null],
    [second(2), second(3), 2, 90 * mib, 70 * mib],
    [second(3), second(4), 1, 30 * mib, 20 * mib],
    [second(4), second(6), 0, 0, 0],
  ]);
});

test.each([
  ['the machine binds', {}, 1024 * mib, 324 * mib, 650 * mib],
  ['the cgroup binds', { limitBytes: 512 * mib }, 512 * mib, 300 * mib, 212 * mib],
  ['the limit is above the machine', { limitBytes: 2048 * mib }, 1024 * mib, 324 * mib, 650 * mib],
])('session_sample where %s', (_, cgroup, limit, workingSet, available) => {
  using folder = temporaryFolder();
  write(folder.file('a.db'), [
    fakeSample({
      second: 0,
      machine: {
        totalBytes: 1024 * mib,
        freeBytes: 600 * mib,
        inactiveFileBytes: 100 * mib,
        availableBytes: 650 * mib,
      },
      cgroup: { chargedBytes: 350 * mib, inactiveFileBytes: 50 * mib, limitBytes: null, ...cgroup },
    }),
  ]);
  expect(shell(folder.file('a.db'), 'SELECT * FROM session_sample')).toMatchObject([
    { limit_bytes: limit, working_set_bytes: workingSet, available_bytes: available },
  ]);
});

function sum(
  processes: readonly ProcessReading[],
  figure: 'rssBytes' | 'pssEstimatedBytes',
): number | null {
  return processes.reduce<number | null>((total, process) => {
    const value = process[figure];
    return total === null || value === null ? null : total + value;
  }, 0);
}
