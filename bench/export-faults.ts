/**
 * Whether an export loses, doubles or shifts anything: a thousand failures (statuses, resets, hangs,
 * pages, redirects, half answers, kill -9 of the exporter) over a recording. FAULTS and SEED change
 * that. Exits with 1 when something is not accounted for.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeEventfulRecording } from '../test/support/eventful-recording.ts';
import { exportUnderFaults, type FaultOutcome } from '../test/support/export-faults.ts';
import { withCleanUp } from './support/clean-up.ts';
import { printTable } from './support/figures.ts';

const faultCount = Number(process.env['FAULTS'] ?? 1000);
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const size = { tickCount: 600, processCount: 20 };

await withCleanUp(async (cleanUp) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
  cleanUp.add(() => fs.rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'faults.db');
  writeEventfulRecording(file, size);
  process.stdout.write(`seed ${seed}\n`);
  const startMs = performance.now();
  const { points, events, starts, done } = await exportUnderFaults({ file, faultCount, seed });
  const seconds = Math.round((performance.now() - startMs) / 1000);

  printTable(`${faultCount} faults in ${seconds} s, ${starts} exporters, seed ${seed}`, [
    ['what was done', 'requests'],
    ...[...done].sort().map(([what, count]) => [what, String(count)]),
  ]);
  printTable('what became of the recording', [
    ['', 'points', 'events'],
    row('delivered without faults', (outcome) => outcome.expected),
    row('arrived', (outcome) => outcome.arrived),
    row('with a wrong value, or two', (outcome) => outcome.wrong.length),
    row('that should not be', (outcome) => outcome.strange.length),
    row('missing', (outcome) => outcome.missing.length),
    row('counted as dropped', (outcome) => outcome.cursor?.droppedCount ?? 0),
    row('counted as rejected', (outcome) => outcome.cursor?.rejectedCount ?? 0),
    row('not accounted for', lost),
  ]);
  process.stdout.write(`dropped: ${points.cursor?.detail}, ${events.cursor?.detail}\n`);
  if ([points, events].some((outcome) => isWrong(outcome))) process.exitCode = 1;

  function row(name: string, of: (outcome: FaultOutcome) => number): string[] {
    return [name, String(of(points)), String(of(events))];
  }
});

function lost({ missing, cursor }: FaultOutcome): number {
  const counted = (cursor?.droppedCount ?? 0) + (cursor?.rejectedCount ?? 0);
  return Math.max(0, missing.length - counted);
}

function isWrong(outcome: FaultOutcome): boolean {
  const { expected, wrong, strange, cursor } = outcome;
  const told = (cursor?.sentCount ?? 0) + (cursor?.droppedCount ?? 0);
  return wrong.length + strange.length + lost(outcome) > 0 || told !== expected;
}
