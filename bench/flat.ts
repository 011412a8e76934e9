/**
 * Whether the recorder stays as it is: `headroom record` ten times a second while processes come and
 * go, 20 a second. Prints memory, descriptors and CPU of each minute, and the slope after the first
 * fifth. FLAT_MINUTES says how long, 5 by default.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRecording } from '../src/store/reader.ts';
import { startChurn } from './support/churn.ts';
import { type CleanUp, untilInterrupted, withCleanUp } from './support/clean-up.ts';
import { printTable, round } from './support/figures.ts';
import { processUsage } from './support/process-usage.ts';

interface Reading {
  minutes: number;
  rssKiB: number;
  anonKiB: number;
  descriptors: number;
  cpuMs: number;
}

const forksPerSecond = 20;
const readEveryMs = 5_000;
const minutes = Number(process.env['FLAT_MINUTES'] ?? 5);
const warmUpMinutes = minutes / 5;

await untilInterrupted((interrupted) =>
  withCleanUp(async (cleanUp) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
    cleanUp.add(() => fs.rmSync(folder, { recursive: true, force: true }));
    await startChurn(forksPerSecond, folder, cleanUp);
    const file = path.join(folder, 'flat.db');
    const recorder = await startRecorder(file, cleanUp);
    const readings = await watch(recorder.pid, interrupted);
    await recorder.stop();
    report(readings, file);
  }),
);

async function startRecorder(file: string, cleanUp: CleanUp) {
  const args = ['dist/cli/headroom.cjs', 'record', '--interval', '100ms', '--quiet', '--out', file];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  await once(child, 'spawn');
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  cleanUp.add(stop);
  return { pid: child.pid ?? 0, stop };
}

async function watch(pid: number, interrupted: AbortSignal): Promise<Reading[]> {
  const readings: Reading[] = [];
  const startMs = performance.now();
  for (let at = 1; at * readEveryMs <= minutes * 60_000; at++) {
    const waitMs = startMs + at * readEveryMs - performance.now();
    await sleep(Math.max(0, waitMs), undefined, { signal: interrupted });
    const { cpuMs, rssBytes, anonBytes } = processUsage(pid);
    readings.push({
      minutes: (at * readEveryMs) / 60_000,
      rssKiB: rssBytes / 1024,
      anonKiB: anonBytes / 1024,
      descriptors: fs.readdirSync(`/proc/${pid}/fd`).length,
      cpuMs,
    });
  }
  return readings;
}

function report(readings: readonly Reading[], file: string): void {
  const rows = Array.from({ length: Math.ceil(minutes) }, (_, at) => minuteOf(readings, at + 1));
  printTable(`headroom record, 100 ms, ${forksPerSecond} new processes a second`, [
    ['minute', 'RSS, MiB', 'anonymous, MiB', 'descriptors', 'CPU, ms a second'],
    ...rows.map(({ minute, rssKiB, anonKiB, descriptors, cpuMs }) => [
      String(minute),
      range(rssKiB.map(mebibytes)),
      range(anonKiB.map(mebibytes)),
      range(descriptors),
      round(cpuMs),
    ]),
  ]);
  // What is left behind when garbage has just been collected tells whether anything is kept.
  const settled = rows.filter(({ minute }) => minute > warmUpMinutes);
  printTable(`slope of the smallest of each minute, from minute ${settled[0]?.minute} on`, [
    ['figure', 'a minute', 'an hour'],
    slopeRow('RSS, KiB', settled, ({ rssKiB }) => rssKiB),
    slopeRow('anonymous, KiB', settled, ({ anonKiB }) => anonKiB),
    slopeRow('descriptors', settled, ({ descriptors }) => descriptors),
  ]);
  using recording = openRecording(file);
  const missed = recording.lastTick()?.collector.missedTickCount;
  process.stdout.write(
    `\n${recording.tickCount()} samples, ${missed} ticks missed, ${recording.processes().length} processes, ` +
      `${round(fs.statSync(file).size / 2 ** 20)} MiB\n`,
  );
}

interface Minute {
  minute: number;
  rssKiB: number[];
  anonKiB: number[];
  descriptors: number[];
  /** A second. */
  cpuMs: number;
}

function minuteOf(readings: readonly Reading[], minute: number): Minute {
  const own = readings.filter((reading) => Math.ceil(reading.minutes) === minute);
  const before = readings.findLast((reading) => reading.minutes <= minute - 1);
  return {
    minute,
    rssKiB: own.map(({ rssKiB }) => rssKiB),
    anonKiB: own.map(({ anonKiB }) => anonKiB),
    descriptors: own.map(({ descriptors }) => descriptors),
    cpuMs: ((own.at(-1)?.cpuMs ?? 0) - (before?.cpuMs ?? 0)) / 60,
  };
}

function slopeRow(name: string, rows: readonly Minute[], of: (row: Minute) => number[]): string[] {
  const slope = slopePerMinute(rows.map((row) => [row.minute, Math.min(...of(row))]));
  return [name, slope.toFixed(2), (slope * 60).toFixed(0)];
}

function range(values: readonly number[]): string {
  return `${round(Math.min(...values))} to ${round(Math.max(...values))}`;
}

function mebibytes(kib: number): number {
  return kib / 1024;
}

// Least squares.
function slopePerMinute(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return covariance / variance;
}
