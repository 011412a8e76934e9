/**
 * What a scrape of /metrics takes while sessions are recorded: `headroom serve` over a folder of live
 * recordings, each with a new sample at every scrape, beside a file of the same size from a plain
 * node:http server.
 */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sample } from '../src/model/sample.ts';
import { StoreWriter } from '../src/store/writer.ts';
import { startServer } from '../test/support/headroom-server.ts';
import { syntheticFacts, syntheticSamples } from '../test/support/synthetic-session.ts';
import { type CleanUp, withCleanUp } from './support/clean-up.ts';
import { type Figure, printFigures, printTable, round } from './support/figures.ts';
import { processUsage } from './support/process-usage.ts';

const scrapes = 15;
// Two minutes that are closed, and their percentiles.
const ticksBefore = 130;
// The files are read once a second at most.
const betweenMs = 1_100;
const fleets = [
  { sessions: 3, budgetMs: 100 },
  { sessions: 50, budgetMs: 1_000 },
];

const figures: Figure[] = [];
const rows = [
  ['live sessions', 'series', 'KiB', 'static file', 'ratio', 'again within 1 s', 'CPU'],
];
for (const { sessions, budgetMs } of fleets) {
  await withCleanUp(async (cleanUp) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
    cleanUp.add(() => fs.rmSync(folder, { recursive: true, force: true }));
    const fleet = startFleet(folder, sessions, cleanUp);
    const server = await startServer(folder);
    cleanUp.add(() => server.stop());
    // The first one reads what was recorded before.
    const body = await server.get('/metrics');
    const [fresh, cached, files]: number[][] = [[], [], []];
    const plain = await serveFile(path.join(folder, 'metrics.txt'), body, cleanUp);
    const before = processUsage(server.child.pid ?? 0).cpuMs;
    for (let count = 0; count < scrapes; count++) {
      await sleep(betweenMs);
      fleet.writeNext();
      fresh?.push(await timeOf(() => server.get('/metrics')));
      cached?.push(await timeOf(() => server.get('/metrics')));
      files?.push(await timeOf(async () => (await fetch(plain)).text()));
    }
    const cpuMs = (processUsage(server.child.pid ?? 0).cpuMs - before) / scrapes;
    const series = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const scrapeMs = median(fresh);
    figures.push({
      name: `a scrape of ${sessions} sessions, median of ${scrapes}`,
      unit: 'ms',
      measured: scrapeMs,
      budget: budgetMs,
    });
    rows.push([
      String(sessions),
      String(series.length),
      round(body.length / 1024),
      `${round(median(files))} ms`,
      round(scrapeMs / median(files)),
      `${round(median(cached))} ms`,
      `${round(cpuMs)} ms`,
    ]);
  });
}
printFigures('/metrics with a new sample in every session', figures);
printTable('beside a file of the same size by node:http, median; CPU of the server a scrape', rows);

/** Recordings that are live as long as this process, and get their next sample when asked. */
function startFleet(folder: string, sessions: number, cleanUp: CleanUp) {
  const startUnixMs = Date.now() - ticksBefore * 1000;
  const recordings = Array.from({ length: sessions }, (_, index) => {
    const id = `6f1c1a54-3c5e-4a3c-9b7e-${String(index).padStart(12, '0')}`;
    const facts = syntheticFacts({ id, startedUnixMs: startUnixMs });
    const writer = StoreWriter.open(path.join(folder, `${index}.db`), facts);
    cleanUp.add(() => writer.close({ endedUnixMs: Date.now(), endReason: 'signal' }));
    const tickCount = ticksBefore + scrapes;
    const samples = syntheticSamples({ tickCount, processCount: 20, startUnixMs, seed: index });
    return { writer, samples };
  });
  const writeNext = (): void => {
    for (const { writer, samples } of recordings) {
      const next: IteratorResult<Sample> = samples.next();
      if (next.done !== true) writer.writeSample(next.value, []);
    }
  };
  for (let tick = 0; tick < ticksBefore; tick++) writeNext();
  return { writeNext };
}

async function serveFile(file: string, text: string, cleanUp: CleanUp): Promise<string> {
  fs.writeFileSync(file, text);
  const server = http.createServer((_, response) => {
    response.setHeader('content-type', 'text/plain');
    fs.createReadStream(file).pipe(response);
  });
  cleanUp.add(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

function median(values: readonly number[] = []): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
