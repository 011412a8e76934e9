/**
 * What a copy of a recording costs that is 50 MB and goes on: `snapshot`, which is what
 * `headroom export --to sqlite` calls, beside cp and sha256sum of the same file, which read and
 * write as much but give a copy that may be torn. The recorder writes five times a second meanwhile.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { snapshot } from '../src/store/snapshot.ts';
import { verifyFile } from '../src/store/verify/verify-file.ts';
import { StoreWriter } from '../src/store/writer.ts';
import { RecorderProcess } from '../test/support/recorder-process.ts';
import {
  syntheticFacts,
  syntheticSamples,
  syntheticStartUnixMs,
} from '../test/support/synthetic-session.ts';
import { printFigures, printTable, round } from './support/figures.ts';

const bytes = 50e6;
const rounds = 7;
const dayMs = 86_400_000;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
const file = path.join(folder, 'live.db');
const copy = path.join(folder, 'copy.db');
let recorder: RecorderProcess | null = null;
try {
  recordUntil(bytes);
  const work = { seed: 2, processCount: 60, skippedTicks: 0, tickCount: 100_000, pauseMs: 200 };
  recorder = new RecorderProcess(file, work);
  await recorder.until(({ committedCount }) => committedCount >= 10);
  const floorMs: number[] = [];
  const snapshotMs: number[] = [];
  for (let at = 0; at < rounds; at++) {
    floorMs.push(commandMs('cp "$1" "$2" && sha256sum "$2"'));
    snapshotMs.push(cpuMs(() => snapshot(file, fresh(copy))));
    // So that what the recorder says is read, and it goes on.
    await recorder.until(({ committedCount }) => committedCount >= 10 + at);
  }
  const before = recorder.state.committedCount;
  const wholeMs = commandMs('"$0" dist/cli/headroom.cjs export "$1" --to sqlite --out "$2"');
  const { isWhole, contents } = verifyFile(copy);
  const size = `${(fs.statSync(copy).size / 1e6).toFixed(1)} MB`;
  printFigures(`a copy of ${size}, whole: ${isWhole}, with ${contents?.sampleCount} samples`, [
    { name: 'CPU of the first copy', unit: 'ms', measured: snapshotMs[0] ?? 0, budget: 500 },
    { name: `CPU, middle of ${rounds}`, unit: 'ms', measured: middle(snapshotMs), budget: 500 },
  ]);
  const floor = middle(floorMs);
  const row = (name: string, ms: number) => [name, round(ms), round(ms / floor)];
  printTable('CPU in the same run', [
    ['what', 'ms', 'ratio'],
    row('cp and sha256sum', floor),
    row('snapshot', middle(snapshotMs)),
    row('headroom export --to sqlite, with the start of Node.js', wholeMs),
  ]);
  await recorder.until(({ committedCount }) => committedCount > before);
  const { committedCount, deferredCount } = recorder.state;
  process.stdout.write(
    `\nthe recorder wrote ${committedCount} samples meanwhile, ${deferredCount} of them late; load ${os.loadavg()[0]?.toFixed(1)}\n`,
  );
} finally {
  await recorder?.kill();
  fs.rmSync(folder, { recursive: true, force: true });
}

/** The day before; the recorder goes on from there. */
function recordUntil(wantedBytes: number): void {
  const startUnixMs = syntheticStartUnixMs - dayMs;
  const writer = StoreWriter.open(file, syntheticFacts({ startedUnixMs: startUnixMs }));
  const session = { tickCount: dayMs / 1000, processCount: 500, startUnixMs };
  let endedUnixMs = startUnixMs;
  for (const sample of syntheticSamples({ ...session, memoryBytes: 2 ** 37 })) {
    writer.writeSample(sample, []);
    endedUnixMs = sample.timeUnixMs;
    if (sample.sequence % 1000 === 0 && fs.statSync(file).size >= wantedBytes) break;
  }
  writer.close({ endedUnixMs, endReason: 'duration' });
}

function fresh(name: string): string {
  fs.rmSync(name, { force: true });
  return name;
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** CPU of a command of the shell, in which $0 is Node.js, $1 the recording and $2 the copy. */
function commandMs(command: string): number {
  fresh(copy);
  const script = `TIMEFORMAT='%U %S'; time { ${command}; } >/dev/null 2>&1`;
  const args = ['-c', script, process.execPath, file, copy];
  const { status, stderr } = spawnSync('bash', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: exit code ${status}, ${stderr}`);
  return stderr
    .trim()
    .split(' ')
    .reduce((sum, seconds) => sum + 1000 * Number(seconds), 0);
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
