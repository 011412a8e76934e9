/**
 * What the recorder costs: `headroom record` at 1 s over some 60 processes, the store included, and the
 * collector of `attach` on Node.js 22 as it is started in a session, each beside a Node of the same
 * version that does nothing but wake up once a second. Real processes, real time.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { provideNode22 } from '../scripts/setup/node-22.mjs';
import type { CollectorRequest } from '../src/attach/collector-state.ts';
import { collectorFiles, startScript, stopScript } from '../src/attach/session-scripts.ts';
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
const collectorFolder = path.join(folder, 'headroom');

interface Contender {
  name: string;
  pid: number;
  floorPid: number;
  anonBudgetMiB: number;
}

try {
  const node22 = await provideNode22();
  const contenders = [startRecord(), ...('path' in node22 ? [startCollector(node22.path)] : [])];
  await sleep(warmUpSeconds * 1000);
  const costs = await measure(contenders.flatMap(({ pid, floorPid }) => [pid, floorPid]));
  const title = `1 s, ${countProcesses()} processes${browser === null ? ' (no Chromium here)' : `, ${browser.version}`}, ${seconds} s after ${warmUpSeconds} s; load ${round(os.loadavg()[0] ?? 0)}`;
  for (const { name, pid, floorPid, anonBudgetMiB } of contenders) {
    const [own, floor] = [costs.get(pid), costs.get(floorPid)];
    if (own === undefined || floor === undefined) continue;
    printFigures(`${name}, ${title}`, [
      { name: 'RSS, at most', unit: 'MiB', measured: own.rssMiB, budget: 52 },
      {
        name: 'anonymous memory, at most',
        unit: 'MiB',
        measured: own.anonMiB,
        budget: anonBudgetMiB,
      },
      { name: 'CPU a second', unit: 'ms', measured: own.cpuMs, budget: 15 },
    ]);
    printTable('against such a Node that only wakes up once a second, in the same run', [
      ['figure', 'recorder', 'floor', 'ratio'],
      row('RSS, MiB', own.rssMiB, floor.rssMiB),
      row('anonymous, MiB', own.anonMiB, floor.anonMiB),
      row('CPU, ms a second', own.cpuMs, floor.cpuMs),
    ]);
  }
  if ('reason' in node22) process.stdout.write(`\nwithout the collector: ${node22.reason}\n`);
} finally {
  spawnSync('sh', ['-c', stopScript, 'sh', collectorFolder]);
  for (const child of children) child.kill();
  await browser?.close();
  await pages.close();
  fs.rmSync(folder, { recursive: true, force: true });
}

function startRecord(): Contender {
  const args = ['record', '--interval', '1s', '--quiet', '--out', `${folder}/bench.db`];
  const pid = start(process.execPath, ['dist/cli/headroom.cjs', ...args]);
  const name = `headroom record, Node.js ${process.versions.node}`;
  return { name, pid, floorPid: startFloor(process.execPath), anonBudgetMiB: 12 };
}

/** As `attach` does it. */
function startCollector(nodePath: string): Contender {
  const files = collectorFiles(collectorFolder);
  const request: CollectorRequest = {
    sessionId: 'bench',
    source: 'vm',
    intervalMs: 1000,
    labels: {},
    nodePath,
  };
  fs.mkdirSync(collectorFolder);
  fs.copyFileSync('dist/cli/attach/collector-main.cjs', files.program);
  fs.writeFileSync(files.request, JSON.stringify(request));
  spawnSync('sh', ['-c', startScript, 'sh', collectorFolder, nodePath], { stdio: 'inherit' });
  const pid = Number(fs.readFileSync(path.join(collectorFolder, 'started'), 'utf8'));
  const version = spawnSync(nodePath, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const name = `the collector in a session, Node.js ${version.slice(1)}`;
  return { name, pid, floorPid: startFloor(nodePath), anonBudgetMiB: 10 };
}

function startFloor(nodePath: string): number {
  return start(nodePath, ['-e', 'setInterval(() => undefined, 1000)']);
}

function start(command: string, args: readonly string[]): number {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  children.push(child);
  return child.pid ?? 0;
}

/** Of memory the largest of a reading every five seconds. */
async function measure(pids: readonly number[]) {
  const first = new Map(pids.map((pid) => [pid, processUsage(pid).cpuMs]));
  const costs = new Map<number, { rssMiB: number; anonMiB: number; cpuMs: number }>();
  for (let at = 5; at <= seconds; at += 5) {
    await sleep(5_000);
    for (const pid of pids) {
      const { cpuMs, rssBytes, anonBytes } = processUsage(pid);
      const { rssMiB = 0, anonMiB = 0 } = costs.get(pid) ?? {};
      costs.set(pid, {
        rssMiB: Math.max(rssMiB, rssBytes / MiB),
        anonMiB: Math.max(anonMiB, anonBytes / MiB),
        cpuMs: (cpuMs - (first.get(pid) ?? 0)) / at,
      });
    }
  }
  return costs;
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
