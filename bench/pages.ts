/**
 * Ten tabs of ten sites, of which one holds 150 MB, recorded with `--cdp auto` until all are known
 * (three minutes at most), and how long that took: how often the report
 * names it as the largest, in ROUNDS browsers (10); and what the watching takes of a core in the
 * browser and in the watcher: while it starts and finds the ten pages, and over SECONDS (60; 0: not
 * measured) after that, with the same browser unwatched before it. The difference is noisy on a
 * machine that has other work.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionReport } from '../src/analysis/session-report.ts';
import { HeadroomError } from '../src/model/errors.ts';
import { runCli, startCli } from '../test/support/headroom-cli.ts';
import { openTenTabs, placedOrigins } from '../test/support/ten-tabs.ts';
import { printTable } from './support/figures.ts';
import { processTreeCpuMs } from './support/tree-cpu.ts';

const rounds = Number(process.env['ROUNDS'] ?? 10);
const seconds = Number(process.env['SECONDS'] ?? 60);
// Node.js starts, and each page is looked for.
const startSeconds = 20;
// Pages of a machine that has much other work give no answer, and are asked ever less often.
const patienceMs = 180_000;
const folder = mkdtempSync(path.join(tmpdir(), 'headroom-bench-'));
let rightCount = 0;
const rows = [['round', 'largest page', 'MiB', 'pages known', 'after']];
try {
  for (let round = 1; round <= rounds; round++) rows.push(await record(round));
  printTable(
    `${rightCount} of ${rounds}: the page that holds 150 MB is named as the largest`,
    rows,
  );
  if (seconds > 0) await tellCost();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (rightCount < rounds) process.exitCode = 1;

async function record(round: number): Promise<string[]> {
  const tabs = await openTenTabs();
  try {
    const file = path.join(folder, `${round}.db`);
    const pid = String(tabs.browserPid);
    const args = ['record', '--cdp', 'auto', '--pid', pid, '--out', file, '--quiet'];
    const { child, result } = startCli(args);
    const startMs = performance.now();
    const takenMs = () => performance.now() - startMs;
    while (takenMs() < patienceMs && !areKnown(file, tabs.origins)) await sleep(500);
    const knownSeconds = (takenMs() / 1_000).toFixed(0);
    child.kill('SIGTERM');
    await result;
    const report: SessionReport = JSON.parse((await runCli('report', file, '--json')).stdout);
    const [largest] = report.pages;
    if (largest?.url === tabs.heavyOrigin) rightCount++;
    const known = report.pages.filter(({ url }) => tabs.origins.includes(url ?? ''));
    const mib = Math.round((largest?.memoryBytes.peak ?? 0) / 2 ** 20);
    const pages = `${new Set(known.map(({ url }) => url)).size} of 10`;
    return [String(round), largest?.url ?? 'none', String(mib), pages, `${knownSeconds} s`];
  } finally {
    await tabs.close();
  }
}

function areKnown(file: string, origins: readonly string[]): boolean {
  try {
    const placed = placedOrigins(file);
    return origins.every((origin) => placed.includes(origin));
  } catch (error) {
    // It is only just being made.
    if (error instanceof HeadroomError) return false;
    throw error;
  }
}

async function tellCost(): Promise<void> {
  const tabs = await openTenTabs();
  try {
    await sleep(10_000);
    const alone = await cpuMs(tabs.browserPid, seconds);
    const watcher = startCli(['pages', '--json', '--pid', String(tabs.browserPid)]);
    const watcherPid = watcher.child.pid ?? 0;
    const browserStarts = await cpuMs(tabs.browserPid, startSeconds);
    const watcherStarts = processTreeCpuMs(watcherPid);
    const [browser, watching] = await Promise.all([
      cpuMs(tabs.browserPid, seconds),
      cpuMs(watcherPid, seconds),
    ]);
    watcher.child.kill('SIGTERM');
    const found = (await watcher.result).stdout.match(/"state":"placed"/g)?.length ?? 0;
    printTable(`CPU over ${seconds} s, share of a core; ${found} targets were placed`, [
      ['', 'browser', 'watcher'],
      ['not watched', share(alone, seconds), '-'],
      ['watched', share(browser, seconds), share(watching, seconds)],
      [`the first ${startSeconds} s`, share(browserStarts, startSeconds), `${watcherStarts} ms`],
    ]);
  } finally {
    await tabs.close();
  }
}

async function cpuMs(pid: number, forSeconds: number): Promise<number> {
  const before = processTreeCpuMs(pid);
  await sleep(forSeconds * 1_000);
  return processTreeCpuMs(pid) - before;
}

function share(ms: number, ofSeconds: number): string {
  return `${(ms / ofSeconds / 10).toFixed(2)} %`;
}
