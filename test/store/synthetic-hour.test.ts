import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProcessSample } from '../../src/model/recording.ts';
import { openRecording } from '../../src/store/reader.ts';
import { heartbeatTicks, memoryStepBytes } from '../../src/store/sparse-rule.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';

const tickCount = 3600;
const processCount = 60;
const folder = temporaryFolder();
const file = folder.file('hour.db');
const samples = [...syntheticSamples({ tickCount, processCount })];

beforeAll(() => {
  const writer = StoreWriter.open(file, syntheticFacts());
  for (const sample of samples) writer.writeSample(sample, []);
  writer.close({ endedUnixMs: samples.at(-1)?.timeUnixMs ?? 0, endReason: 'duration' });
});
afterAll(() => folder[Symbol.dispose]());

test('the made-up session changes as the recorded one did: 79 % of RSS readings are as before', () => {
  let same = 0;
  let all = 0;
  const last = new Map<number, number | null>();
  for (const { processes } of samples) {
    for (const { pid, rssBytes } of processes) {
      if (last.has(pid)) all++;
      if (last.get(pid) === rssBytes) same++;
      last.set(pid, rssBytes);
    }
  }
  expect(same / all).toBeCloseTo(0.79, 2);
});

test('an hour is at most 1.6 MB, and a process takes at most 4.5 bytes a tick', () => {
  expect(statSync(file).size).toBeLessThanOrEqual(1_600_000);
  const bytes = execFileSync(
    'sqlite3',
    [
      file,
      `SELECT sum(pgsize) FROM dbstat WHERE name IN ('process', 'process_text', 'process_row', 'process_pss_row')`,
    ],
    { encoding: 'utf8' },
  );
  expect(Number(bytes) / (tickCount * processCount)).toBeLessThanOrEqual(4.5);
});

test('the rows that are left out are within one step, and no row is older than a minute', () => {
  using recording = openRecording(file);
  const records = new Map(recording.processes().map((record) => [record.process, record]));
  const rows = recording.processSamples();
  let next = rows.next();
  const held = new Map<number, { row: ProcessSample; tick: number }>();
  samples.forEach(({ timeUnixMs, processes }, tick) => {
    for (; !next.done && next.value.timeUnixMs <= timeUnixMs; next = rows.next()) {
      held.set(records.get(next.value.process)?.pid ?? 0, { row: next.value, tick });
    }
    for (const process of processes) {
      const { row, tick: rowTick } = held.get(process.pid) ?? {};
      const worst = Math.max(
        Math.abs((row?.rssBytes ?? Number.NaN) - (process.rssBytes ?? 0)),
        Math.abs((row?.anonBytes ?? Number.NaN) - (process.anonBytes ?? 0)),
      );
      if (!(worst < memoryStepBytes(row?.rssBytes ?? null)))
        throw new Error(`pid ${process.pid} is ${worst} bytes off`);
      const age = tick - (rowTick ?? Number.NaN);
      if (!(age <= heartbeatTicks)) throw new Error(`pid ${process.pid} has a row of ${age} ticks`);
    }
  });
});

test('what is known of each process is exact, though most rows were left out', () => {
  using recording = openRecording(file);
  const expected = new Map<string, object>();
  for (const { timeUnixMs, processes } of samples) {
    for (const { pid, startTicks, rssBytes, peakRssBytes, cpuMs } of processes) {
      const before = expected.get(`${pid}:${startTicks}`) as { firstCpuMs: number } | undefined;
      expected.set(`${pid}:${startTicks}`, {
        firstUnixMs: timeUnixMs,
        firstCpuMs: cpuMs,
        ...before,
        pid,
        startTicks,
        lastUnixMs: timeUnixMs,
        lastCpuMs: cpuMs,
        peakRssBytes: Math.max(rssBytes ?? 0, peakRssBytes ?? 0),
      });
    }
  }
  expect(recording.processes()).toMatchObject([...expected.values()]);
});
