/**
 * A day of recording: 24 hours of a synthetic session with 60 processes at 1 s, on a virtual clock.
 * Its size, its percentiles beside those of every single value, how fast they are read, its report.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { analyse } from '../src/analysis/session-report.ts';
import { renderText } from '../src/report/text.ts';
import { openRecording } from '../src/store/reader.ts';
import { type RecordedDay, recordDay } from '../test/support/recorded-day.ts';
import { printFigures, printTable, round } from './support/figures.ts';

const processCount = 60;
const quantiles = [0.5, 0.9, 0.95, 0.99];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
const file = path.join(folder, 'day.db');
try {
  const day = recordDay(file, { intervalMs: 1000, processCount });
  const megabytes = fs.statSync(file).size / 1e6;
  const perSample = (megabytes * 1e6) / (day.tickCount * processCount);
  const queryMs = middle(Array.from({ length: 20 }, () => cpuMs(query)));
  let text = '';
  const reportMs = cpuMs(() => {
    text = report();
  });
  printFigures(`24 hours, ${processCount} processes, 1 s`, [
    { name: 'file', unit: 'MB', measured: megabytes, budget: 24 * 1.6 },
    { name: 'bytes a process and tick', unit: 'B', measured: perSample, budget: 7.5 },
    { name: 'CPU a tick', unit: 'µs', measured: day.writeCpuUs / day.tickCount, budget: 250 },
    { name: 'p50, p95, p99 of one series', unit: 'ms', measured: queryMs, budget: 20 },
    { name: 'report', unit: 'ms', measured: reportMs, budget: 10_000 },
  ]);
  printTable('its percentiles in MiB, beside those of all values', [
    ['series', 'quantile', 'stored', 'exact', 'error'],
    ...quantileRows(day),
  ]);
  process.stdout.write(`\n${text}`);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

/** p50, p95 and p99 of the working set, with opening the file. */
function query(): void {
  using recording = openRecording(file);
  const sketch = recording.distribution({ scope: 'session', metric: 'working_set' });
  for (const q of [0.5, 0.95, 0.99]) sketch?.quantile(q);
}

function quantileRows({ exact }: RecordedDay): string[][] {
  using recording = openRecording(file);
  return exact.flatMap(({ series, quantile }) => {
    const sketch = recording.distribution(series);
    return quantiles.map((q) => {
      const stored = sketch?.quantile(q) ?? Number.NaN;
      return [
        `${series.scope} ${series.metric}`,
        `p${100 * q}`,
        round(stored / 2 ** 20),
        round(quantile(q) / 2 ** 20),
        `${(100 * (stored / quantile(q) - 1)).toFixed(2)} %`,
      ];
    });
  });
}

function report(): string {
  using recording = openRecording(file);
  return renderText(analyse(recording));
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
