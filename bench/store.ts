/**
 * What a recording costs on disk and in CPU time, and how fast its percentiles are read: an hour of
 * a synthetic session with 60 processes at 1 s, on a virtual clock.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Series } from '../src/model/series.ts';
import type { TimeRange } from '../src/model/time-range.ts';
import { openDatabase } from '../src/store/driver.ts';
import { openRecording } from '../src/store/reader.ts';
import { StoreWriter } from '../src/store/writer.ts';
import {
  syntheticFacts,
  syntheticSamples,
  syntheticStartUnixMs,
} from '../test/support/synthetic-session.ts';
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
    queryWhole('the working set', { scope: 'session', metric: 'working_set' }),
    queryWhole("the renderers' PSS", { scope: 'renderer', metric: 'pss' }),
    queryCut('the working set', { scope: 'session', metric: 'working_set' }),
    queryCut("the renderers' PSS", { scope: 'renderer', metric: 'pss' }),
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
    .prepare(
      `SELECT sum(pgsize) FROM dbstat
       WHERE name IN ('process', 'process_text', 'process_row', 'process_pss_row')`,
    )
    .pluck()
    .get() as number;
  db.close();
  const perSample = processBytes / (tickCount * processCount);
  const megabytes = fs.statSync(file).size / 1e6;
  return [
    { name: 'bytes a process and tick', unit: 'B', measured: perSample, budget: 4.5 },
    { name: 'file', unit: 'MB', measured: megabytes, budget: 1.6 },
  ];
}

/** Of the whole hour: from the rollups alone. */
function queryWhole(what: string, series: Series): Figure {
  return { ...query(series, {}), name: `p50, p95, p99 of ${what}`, budget: 4 };
}

/** Of most of it: the first and the last minute are cut, and are read tick by tick. */
function queryCut(what: string, series: Series): Figure {
  const range = {
    fromUnixMs: syntheticStartUnixMs + 90_500,
    toUnixMs: syntheticStartUnixMs + 3_500_500,
  };
  return { ...query(series, range), name: `the same of ${what}, ends cut`, budget: 20 };
}

/** CPU time of opening the file and reading three percentiles, the middle of many rounds. */
function query(series: Series, range: TimeRange): Pick<Figure, 'unit' | 'measured'> {
  const rounds = Array.from({ length: queryRounds }, () => {
    const before = process.cpuUsage();
    using recording = openRecording(file);
    const sketch = recording.distribution(series, range);
    for (const q of [0.5, 0.95, 0.99]) sketch?.quantile(q);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  const measured = rounds.toSorted((a, b) => a - b)[queryRounds / 2] ?? Number.NaN;
  return { unit: 'ms', measured };
}
