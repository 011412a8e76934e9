/**
 * What the recorder costs: `headroom record` at 1 s over some 60 processes, the store included,
 * beside a Node that does nothing but wake up once a second. Real processes, real time.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { servePages } from '../src/cli/demo/pages.ts';
import { findChromium } from '../src/host/browser/find-chromium.ts';
import { launchChromium } from '../src/host/browser/launch-chromium.ts';
import { printFigures, printTable, round } from './support/figures.ts';
import { processUsage } from './support/process-usage.ts';

const processCount = 60;
const warmUpSeconds = 15;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 60);
const MiB = 2 ** 20;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
const pages = await servePages();
const executable = findChromium(process.env);
const browser = executable === null ? null : await launchChromium(executable);
for (const url of pages.urls) await browser?.open(url);
await sleep(3_000);
const idlers = Array.from({ length: processCount - countProcesses() }, () =>
  spawn('sleep', ['3600']),
);
const children: ChildProcess[] = [...idlers];
try {
  const recorder = spawn(
    process.execPath,
    [
      'dist/cli/headroom.cjs',
      'record',
      '--interval',
      '1s',
      '--quiet',
      '--out',
      `${folder}/bench.db`,
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const floor = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
  children.push(recorder, floor);
  await sleep(warmUpSeconds * 1000);
  const before = [pidUsage(recorder), pidUsage(floor)] as const;
  await sleep(seconds * 1000);
  const after = [pidUsage(recorder), pidUsage(floor)] as const;
  const cpu = (at: 0 | 1) => (after[at].cpuMs - before[at].cpuMs) / seconds;

  printFigures(
    `headroom record, 1 s, ${countProcesses()} processes${browser === null ? ' (no Chromium here)' : `, ${browser.version}`}, ${seconds} s after ${warmUpSeconds} s`,
    [
      { name: 'RSS', unit: 'MiB', measured: after[0].rssBytes / MiB, budget: 52 },
      { name: 'anonymous memory', unit: 'MiB', measured: after[0].anonBytes / MiB, budget: 12 },
      { name: 'CPU a second', unit: 'ms', measured: cpu(0), budget: 15 },
    ],
  );
  printTable('against a Node that only wakes up once a second, in the same run', [
    ['figure', 'recorder', 'floor', 'ratio'],
    row('RSS, MiB', after[0].rssBytes / MiB, after[1].rssBytes / MiB),
    row('anonymous, MiB', after[0].anonBytes / MiB, after[1].anonBytes / MiB),
    row('CPU, ms a second', cpu(0), cpu(1)),
  ]);
} finally {
  for (const child of children) child.kill();
  await browser?.close();
  await pages.close();
  fs.rmSync(folder, { recursive: true, force: true });
}

function pidUsage(child: ChildProcess) {
  return processUsage(child.pid ?? 0);
}

// Those the recorder keeps rows of: without the kernel's threads.
function countProcesses(): number {
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isUserProcess(name)).length;
}

function isUserProcess(pid: string): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`).length > 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

function row(name: string, measured: number, floor: number): string[] {
  return [name, round(measured), round(floor), floor === 0 ? '-' : round(measured / floor)];
}
