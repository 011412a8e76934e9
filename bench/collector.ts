/**
 * What the collector costs beside others: a C program that reads the same files, the exporters and
 * libraries that one would use otherwise, and the shell loop. All at once on the same machine, over
 * a real Chromium with 20 tabs and 500 idle processes; then by number of processes.
 *
 * BENCH_SECONDS: how long is measured. `--write-docs` or BENCH_WRITE_DOCS=1: also into docs/cost.md.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type CleanUp, untilInterrupted, withCleanUp } from './support/clean-up.ts';
import { budgetTable, growthTable, type Table, usageTable } from './support/collector-tables.ts';
import {
  collectorCommand,
  contestants,
  floorCommand,
  peerVersions,
} from './support/contestants.ts';
import { printTable } from './support/figures.ts';
import { markdownTable, writeGeneratedSection } from './support/generated-section.ts';
import { measureGrowth } from './support/growth.ts';
import { startBrowser, startSleepers } from './support/load.ts';
import { type Result, race } from './support/race.ts';

const tabCount = 20;
const sleeperCount = 500;
const warmUpSeconds = 30;
const growthIntervalMs = 250;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 60);
const writesDocs = process.argv.includes('--write-docs') || process.env['BENCH_WRITE_DOCS'] === '1';

await untilInterrupted((interrupted) =>
  withCleanUp(async (cleanUp) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
    cleanUp.add(() => fs.rmSync(folder, { recursive: true, force: true }));
    // The load of the first part is gone before the second one begins.
    const raced = await withCleanUp((raceCleanUp) =>
      raceOverLoad(folder, interrupted, raceCleanUp),
    );
    const growth = await measureGrowth(
      {
        collector: collectorCommand(growthIntervalMs, 0),
        floor: raced.floor === null ? null : floorCommand(raced.floor, growthIntervalMs, 'none'),
        intervalMs: growthIntervalMs,
        seconds: Math.max(5, seconds / 2),
        interrupted,
      },
      cleanUp,
    );
    report(raced.facts, [
      usageTable(raced.results),
      budgetTable(raced.results, growth),
      growthTable(growth),
    ]);
  }),
);

async function raceOverLoad(folder: string, interrupted: AbortSignal, cleanUp: CleanUp) {
  const [loadBefore = 0] = os.loadavg();
  await startSleepers(sleeperCount, cleanUp);
  const browser = await startBrowser(tabCount, cleanUp);
  const browserName = fs.readFileSync(`/proc/${browser.pid}/comm`, 'utf8').trim();
  const entries = await contestants(folder, browserName);
  const results = await race(entries, { warmUpSeconds, seconds, interrupted }, cleanUp);
  const ours = results.find(({ id }) => id === 'collector')?.usage;
  if (ours === undefined || 'reason' in ours) throw new Error(`the collector ${ours?.reason}`);
  const floor = entries.find(({ id }) => id === 'floor');
  return {
    results,
    floor: floor !== undefined && 'command' in floor ? (floor.command[0] ?? null) : null,
    facts: [
      `${new Date().toISOString().slice(0, 10)}, Linux ${os.release()} ${os.arch()}, ${os.cpus().length} × ${os.cpus()[0]?.model}, Node.js ${process.versions.node}, ${browser.version}, ${(await peerVersions(entries)).join(', ')}.`,
      `${tabCount} tabs and ${sleeperCount} idle processes besides; ${seconds} s in windows of 5 s, after ${warmUpSeconds} s; load of the machine before: ${loadBefore.toFixed(1)}.`,
      ...(['floor', 'collector', 'collectorPss'] as const).flatMap((id) => told(results, id)),
      ...results.flatMap(({ name, usage }) =>
        'reason' in usage ? `Missing: ${name}, ${usage.reason}.` : [],
      ),
    ],
  };
}

/** What one of ours says itself that it read: they must have read the same. */
function told(results: readonly Result[], id: Result['id']): string[] {
  const result = results.find((candidate) => candidate.id === id);
  if (result === undefined || 'reason' in result.usage) return [];
  const { processes, chromium, ticks, pssReadings = 0 } = JSON.parse(result.usage.said);
  const pss = pssReadings === 0 ? '' : `, ${pssReadings} readings of PSS`;
  return [`${result.name}: ${processes} processes, ${chromium} of Chromium, ${ticks} ticks${pss}.`];
}

function report(facts: readonly string[], tables: readonly Table[]): void {
  process.stdout.write(`\n${facts.join('\n')}\n`);
  for (const { title, rows } of tables) printTable(title, rows);
  if (!writesDocs) return;
  const list = facts.map((fact) => `- ${fact}\n`).join('');
  const markdown = [list, ...tables.map(markdownTable)].join('\n');
  writeGeneratedSection('docs/cost.md', 'collector', markdown);
  process.stdout.write('\nwritten into docs/cost.md\n');
}
