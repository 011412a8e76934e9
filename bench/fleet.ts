/**
 * What a fleet costs: `headroom fleet` over 100, 1,000 and 10,000 recordings of ten minutes at 1 s, each
 * command in a process of its own; how CPU time grows with their number; and what the same percentiles
 * cost when every tick is read again. FLEET_SIZES=100,1000 takes others.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { workingSetBytes } from '../src/model/session-memory.ts';
import { openRecording } from '../src/store/reader.ts';
import { FleetMaker } from '../test/support/fleet-maker.ts';
import { printFigures, printTable, round } from './support/figures.ts';

interface Cost {
  wallMs: number;
  cpuMs: number;
  peakBytes: number;
}

const mib = 2 ** 20;
const sizes = (process.env['FLEET_SIZES'] ?? '100,1000,10000').split(',').map(Number);
const rescanned = 50;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
try {
  const maker = new FleetMaker(folder, 600);
  const start = run('fleet', '--help');
  const folders: string[] = [];
  let made = 0;
  const rows = sizes.map((size) => {
    const next = path.join(folder, `up-to-${size}`);
    maker.make(next, size - made);
    made = size;
    folders.push(next);
    const data = ['--data', path.join(folder, `fleet-${size}`)];
    return {
      size,
      imported: run('fleet', 'import', ...folders, ...data),
      again: run('fleet', 'import', ...folders, ...data),
      reported: run('fleet', 'report', '--by', 'workload', '--by', 'version', ...data),
      sized: run('fleet', 'size', '--by', 'workload', ...data),
      compared: run('fleet', 'diff', 'version=1.0', 'version=1.1', ...data),
    };
  });
  const load = (os.loadavg()[0] ?? 0).toFixed(1);
  const perRecording = ({ size, imported }: (typeof rows)[number]) =>
    (imported.cpuMs - start.cpuMs) / size;
  printTable(
    `a fleet, load ${load}; seconds, start of the program (${ms(start.cpuMs)} of CPU) included`,
    [
      [
        'recordings',
        'import',
        'CPU',
        'CPU each',
        'peak',
        'again',
        'report',
        'size',
        'diff',
        'peak of these',
      ],
      ...rows.map((row) => [
        String(row.size),
        seconds(row.imported.wallMs),
        seconds(row.imported.cpuMs),
        ms(perRecording(row)),
        `${round(row.imported.peakBytes / mib)} MiB`,
        ...[row.again, row.reported, row.sized, row.compared].map(({ wallMs }) => seconds(wallMs)),
        `${round(Math.max(...[row.reported, row.sized, row.compared].map((cost) => cost.peakBytes)) / mib)} MiB`,
      ]),
    ],
  );
  const [small, large] = [rows.at(-2), rows.at(-1)];
  if (small !== undefined && large !== undefined) {
    const sizeRatio = large.size / small.size;
    const cpuRatio = (perRecording(large) / perRecording(small)) * sizeRatio;
    const cpu = Math.log(cpuRatio) / Math.log(sizeRatio);
    process.stdout.write(
      `\nCPU of an import grows with the ${round(cpu)}th power of the number of recordings (1: each costs the same)\n`,
    );
  }
  const tickMs = rescan(folders[0] ?? folder);
  const last = rows.at(-1);
  if (last !== undefined) {
    process.stdout.write(
      `reading every tick of a recording takes ${ms(tickMs)} of CPU, ${round(tickMs / perRecording(last))} times as much as its import\n`,
    );
    const peak = last.imported.peakBytes / mib;
    printFigures('budgets', [
      ...rows
        .filter(({ size }) => size >= 1000)
        .map(({ size, imported }) => ({
          name: `import of ${size}`,
          unit: 's',
          measured: imported.wallMs / 1000,
          budget: (1.5 * size) / 1000,
        })),
      { name: 'memory of an import', unit: 'MiB', measured: peak, budget: 100 },
    ]);
  }
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

function run(...args: string[]): Cost {
  const began = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', './bench/support/report-peak.mjs', 'dist/cli/headroom.cjs', ...args],
    { encoding: 'utf8' },
  );
  const wallMs = performance.now() - began;
  if (status !== 0) throw new Error(`headroom ${args.join(' ')}: ${status}: ${stderr}`);
  return { wallMs, ...JSON.parse(stderr.trim().split('\n').at(-1) ?? '') };
}

/** CPU time of finding the working set of every tick, ms for one recording. */
function rescan(from: string): number {
  const files = fs.readdirSync(from).slice(0, rescanned);
  const before = process.cpuUsage();
  for (const file of files) {
    using recording = openRecording(path.join(from, file));
    const found: number[] = [];
    for (const tick of recording.ticks()) found.push(workingSetBytes(tick) ?? 0);
    found.sort((a, b) => a - b);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / files.length;
}

function seconds(wallMs: number): string {
  return round(wallMs / 1000);
}

function ms(value: number): string {
  return `${round(value)} ms`;
}
