/**
 * What a recording costs on disk and in CPU time, and how fast its percentiles are read: an hour of
 * a synthetic session with 60 processes at 1 s, on a virtual clock.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Series } from '../src/model/series.ts';
import { openDatabase } from '../src/store/driver.ts';
import { openRecording } from '../src/store/reader.ts';
import { StoreWriter } from '../src/store/writer.ts';
import { syntheticFacts, syntheticSamples } from '../test/support/synthetic-session.ts';
import { type Figure, printFigures } from './support/figures.ts';

const tickCount = 3600;
const processCount = 60;
const queryRounds = 50;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
const file = path.join(folder, 'hour.db');
try {
  const cpuUs = recordHour();
  printFigures(`one hour, ${processCount} processes, 1 s`, [
    ...sizes(),
    { name: 'CPU a tick', unit: 'µs', measured: cpuUs / tickCount, budget: 250 },
    query('working_set, from rollups', { scope: 'session', metric: 'working_set' }, false),
    query('PSS of the renderers, from rollups', { scope: 'renderer', metric: 'pss' }, false),
    query('working_set, cut minutes', { scope: 'session', metric: 'working_set' }, true),
    query('PSS of the renderers, cut minutes', { scope: 'renderer', metric: 'pss' }, true),
  ]);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

/** CPU time of all ticks, µs; the making of the samples is not in it. */
function recordHour(): number {
  const samples = [...syntheticSamples({ tickCount, processCount })];
  const writer = StoreWriter.open(file, syntheticFacts());
  const before = process.cpuUsage();
  for (const sample of samples) writer.writeSample(sample, []);
  const { user, system } = process.cpuUsage(before);
  const endedUnixMs = samples.at(-1)?.timeUnixMs ?? 0;
  writer.close({ endedUnixMs, endReason: 'duration' });
  return user + system;
}

function sizes(): Figure[] {
  const db = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
  const processBytes = db
    .prepare("SELECT sum(pgsize) FROM dbstat WHERE name IN ('process', 'process_sample')")
    .pluck()
    .get() as number;
  db.close();
  const perSample = processBytes / (tickCount * processCount);
  const megabytes = fs.statSync(file).size / 1e6;
  return [
    { name: 'bytes a process and tick', unit: 'B', measured: perSample, budget: 6 },
    { name: 'file', unit: 'MB', measured: megabytes, budget: 2 },
  ];
}

/** CPU time of opening the file and reading p50, p95 and p99, the middle of many rounds. */
function query(name: string, series: Series, cutsMinutes: boolean): Figure {
  const rounds = Array.from({ length: queryRounds }, () => {
    const before = process.cpuUsage();
    using recording = openRecording(file);
    const { startedUnixMs } = recording.facts;
    const range = { fromUnixMs: startedUnixMs + 90_500, toUnixMs: startedUnixMs + 3_500_500 };
    const sketch = recording.distribution(series, cutsMinutes ? range : {});
    for (const q of [0.5, 0.95, 0.99]) sketch?.quantile(q);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  const median = rounds.toSorted((a, b) => a - b)[queryRounds / 2] ?? Number.NaN;
  return { name: `p50, p95, p99 of ${name}`, unit: 'ms', measured: median, budget: 4 };
}
