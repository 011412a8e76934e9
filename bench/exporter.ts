/**
 * What the exporter costs that follows a recorder: `headroom record --otlp` of a real Chromium beside a
 * receiver that takes everything. Real processes, real time; BENCH_SECONDS says how long, 60 by default.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { servePages } from '../src/cli/demo/pages.ts';
import { findChromium } from '../src/host/browser/find-chromium.ts';
import { launchChromium } from '../src/host/browser/launch-chromium.ts';
import { type CleanUp, withCleanUp } from './support/clean-up.ts';
import { printFigures, printTable, round } from './support/figures.ts';
import { type ProcessUsage, processUsage } from './support/process-usage.ts';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 60);
const warmUpSeconds = 15;
const readEveryMs = 2_000;
const MiB = 2 ** 20;

await withCleanUp(async (cleanUp) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
  cleanUp.add(() => fs.rmSync(folder, { recursive: true, force: true }));
  const browser = await openBrowser(cleanUp);
  const receiver = await startReceiver(cleanUp);
  const file = path.join(folder, 'bench.db');
  const recorder = start(cleanUp, ['record', '--interval', '1s', '--quiet', '--out', file]);
  while (!fs.existsSync(file)) await sleep(100);
  const follow = ['export', file, '--to', 'otlp', '--endpoint', receiver.url, '--follow'];
  const exporter = start(cleanUp, follow);

  const readings: ProcessUsage[] = [];
  const startMs = performance.now();
  while (performance.now() - startMs < (warmUpSeconds + seconds) * 1000) {
    await sleep(readEveryMs);
    if (performance.now() - startMs > warmUpSeconds * 1000) {
      readings.push(processUsage(exporter.pid ?? 0));
    }
  }
  recorder.kill('SIGTERM');
  await once(exporter, 'exit');

  const most = (of: (usage: ProcessUsage) => number) => Math.max(...readings.map(of));
  const spentMs = (readings.at(-1)?.cpuMs ?? 0) - (readings[0]?.cpuMs ?? 0);
  const overSeconds = ((readings.length - 1) * readEveryMs) / 1000;
  printFigures(
    `export --follow, 1 s, ${browser ?? 'no Chromium here'}, the most of ${seconds} s after ${warmUpSeconds} s`,
    [
      {
        name: 'anonymous memory',
        unit: 'MiB',
        measured: most((it) => it.anonBytes) / MiB,
        budget: 25,
      },
      { name: 'RSS', unit: 'MiB', measured: most((it) => it.rssBytes) / MiB, budget: 70 },
      { name: 'CPU a second', unit: 'ms', measured: spentMs / overSeconds, budget: 20 },
    ],
  );
  printTable('what the receiver got', [
    ['requests', 'KiB before compression'],
    [String(receiver.requests), round(receiver.bytes / 1024)],
  ]);
});

async function openBrowser(cleanUp: CleanUp): Promise<string | null> {
  const executable = findChromium(process.env);
  if (executable === null) return null;
  const pages = await servePages();
  cleanUp.add(() => pages.close());
  const browser = await launchChromium(executable);
  cleanUp.add(() => browser.close());
  for (const url of pages.urls) await browser.open(url);
  return browser.version;
}

async function startReceiver(cleanUp: CleanUp) {
  const receiver = { url: '', requests: 0, bytes: 0 };
  const server = http.createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      receiver.bytes += chunk.length;
    });
    request.on('end', () => {
      receiver.requests++;
      response.setHeader('content-type', 'application/x-protobuf').end();
    });
  });
  cleanUp.add(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}

function start(cleanUp: CleanUp, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, ['dist/cli/headroom.cjs', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  cleanUp.add(() => child.kill());
  return child;
}
