/**
 * What it takes to write recordings in the formats of other tools: memory, which must not grow with
 * the recording, CPU time and speed. Two synthetic sessions with 60 processes at 1 s, of one hour and
 * of four; each export is the program as a user runs it.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, printFigures, printTable, round } from './support/figures.ts';
import { recordHours } from './support/record-hours.ts';

const budgetMib = 150;
const hours = [1, 4];
const formats = [
  ['csv'],
  ['csv', '--table', 'roles'],
  ['csv', '--table', 'process_samples'],
  ['ndjson'],
  ['parquet'],
  ['otlp-json'],
  ['perfetto'],
];
const main = fileURLToPath(new URL('../dist/cli/headroom.cjs', import.meta.url));
const reporter = new URL('support/report-peak.mjs', import.meta.url).href;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
try {
  const files = hours.map((count) => record(count));
  const figures: Figure[] = [];
  const speeds = [['format', 'samples/s', 'CPU µs a sample', 'written', 'MB/s']];
  for (const format of formats) {
    for (const [at, file] of files.entries()) {
      const count = hours[at] ?? 0;
      const run = exportTo(file, format);
      const name = `${format.filter((word) => word !== '--table').join(' ')}, ${count} h`;
      figures.push({ name, unit: 'MiB', measured: run.peakBytes / 2 ** 20, budget: budgetMib });
      speeds.push([
        name,
        round((count * 3600) / run.seconds),
        round((run.cpuMs * 1000) / (count * 3600)),
        `${round(run.bytes / 1e6)} MB`,
        round(run.bytes / 1e6 / run.seconds),
      ]);
    }
  }
  printFigures('peak memory of an export', figures);
  printTable('speed, as this machine is loaded', speeds);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

function record(count: number): string {
  const file = path.join(folder, `${count}.db`);
  recordHours(file, count);
  return file;
}

function exportTo(file: string, format: readonly string[]) {
  const out = path.join(folder, 'out');
  fs.rmSync(out, { recursive: true, force: true });
  const started = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', reporter, main, 'export', file, '--to', ...format, '--out', out],
    { encoding: 'utf8' },
  );
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw new Error(`export --to ${format.join(' ')} failed:\n${stderr}`);
  const usage: { peakBytes: number; cpuMs: number } = JSON.parse(
    stderr.trim().split('\n').at(-1) ?? '',
  );
  return { ...usage, seconds, bytes: sizeOf(out) };
}

function sizeOf(out: string): number {
  if (!fs.statSync(out).isDirectory()) return fs.statSync(out).size;
  return fs
    .readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0);
}
