/**
 * What the store holds in the recorder's memory: the same process over the same samples with the
 * store open and without it, all that has to be loaded for it included; with each driver that can
 * be had here, and the flags that the recorder gives itself (src/cli/headroom.cts). The difference of the
 * smallest of some runs, after a collection of garbage.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { provideNode22 } from '../scripts/setup/node-22.mjs';
import { syntheticFacts, syntheticSamples } from '../test/support/synthetic-session.ts';
import { printFigures } from './support/figures.ts';
import { memoryOf } from './support/process-usage.ts';

const tickCount = 600;
const processCount = 60;
const rounds = 3;
const mib = 2 ** 20;
const flags = [
  '--expose-gc',
  '--lite-mode',
  '--semi-space-growth-factor=1',
  '--bytecode-old-age=1',
];
const child = fileURLToPath(new URL('support/store-memory-child.mjs', import.meta.url));

type Mode = 'without' | 'loaded' | 'open';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
try {
  const samples = path.join(folder, 'samples.ndjson');
  for (const sample of syntheticSamples({ tickCount, processCount })) {
    fs.appendFileSync(samples, `${JSON.stringify(sample)}\n`);
  }
  const node22 = await provideNode22();
  const programs = [
    { node: process.execPath, driver: 'better-sqlite3' },
    ...('path' in node22 ? [{ node: node22.path, driver: 'node:sqlite' }] : []),
  ];
  const figures = programs.map(({ node, driver }) => {
    const least = (mode: Mode) =>
      Math.min(...Array.from({ length: rounds }, () => run({ node, driver, samples, mode }))) / mib;
    const [without, loaded, opened] = [least('without'), least('loaded'), least('open')];
    return { driver, opened: opened - loaded, withCode: opened - without };
  });
  printFigures(
    `anonymous memory of the open store after ${tickCount} samples of ${processCount} processes`,
    figures.flatMap(({ driver, opened, withCode }) => [
      { name: driver, unit: 'MiB', measured: opened, budget: 2 },
      { name: `${driver}, its code included`, unit: 'MiB', measured: withCode, budget: 2 },
    ]),
  );
  if ('reason' in node22) process.stdout.write(`\nwithout node:sqlite: ${node22.reason}\n`);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

function run(of: { node: string; driver: string; samples: string; mode: Mode }): number {
  const file = path.join(folder, 'a.db');
  fs.rmSync(file, { force: true });
  const args = [of.samples, of.mode, file, JSON.stringify(syntheticFacts())];
  const { status, stdout, stderr } = spawnSync(of.node, [...flags, child, ...args], {
    env: { ...process.env, HEADROOM_SQLITE_DRIVER: of.driver },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`exit code ${status}: ${stderr}`);
  return memoryOf(stdout).anonBytes;
}
