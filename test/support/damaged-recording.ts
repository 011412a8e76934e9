import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeOomKill } from './fake-sample.ts';
import { syntheticFacts, syntheticSamples, syntheticStartUnixMs } from './synthetic-session.ts';

export const pageBytes = 4096;

export interface RecordingOptions {
  tickCount: number;
  processCount?: number;
}

/** A recording of a synthetic session with an OOM kill, a sample a second; ended and sealed. */
export function endedRecording(file: string, options: RecordingOptions): void {
  const { tickCount } = options;
  startedRecording(file, options).close({
    endedUnixMs: syntheticStartUnixMs + tickCount * 1000,
    endReason: 'duration',
  });
}

/** Takes away the checksums. */
export function unseal(file: string): void {
  const pageCount = Number(execFileSync('sqlite3', [file, 'PRAGMA page_count']));
  fs.truncateSync(file, pageCount * pageBytes);
}

/** The same, still open. */
export function startedRecording(file: string, options: RecordingOptions): StoreWriter {
  const { tickCount, processCount = 20 } = options;
  const writer = StoreWriter.open(file, syntheticFacts());
  for (const sample of syntheticSamples({ tickCount, processCount })) {
    const timeUnixMs = sample.timeUnixMs - 500;
    const kill = fakeOomKill({ pid: 1010, comm: 'chromium', timeUnixMs });
    writer.writeSample(sample, sample.sequence % 100 === 50 ? [kill] : []);
  }
  return writer;
}

/** What a recorder leaves that is killed: the file and its log, without the index of that. */
export function killedRecording(file: string, options: RecordingOptions): void {
  const writer = startedRecording(`${file}.live`, options);
  for (const part of ['', '-wal']) fs.copyFileSync(`${file}.live${part}`, file + part);
  writer.close({ endedUnixMs: syntheticStartUnixMs, endReason: 'duration' });
  fs.rmSync(`${file}.live`);
}

/** Writes bytes over those that are there. */
export function overwrite(file: string, offset: number, bytes: Uint8Array): void {
  const handle = fs.openSync(file, 'r+');
  fs.writeSync(handle, bytes, 0, bytes.length, offset);
  fs.closeSync(handle);
}

/** Changes one byte to another value. */
export function flipByte(file: string, offset: number, mask = 0xff): void {
  const handle = fs.openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  fs.readSync(handle, byte, 0, 1, offset);
  byte[0] = (byte[0] ?? 0) ^ mask;
  fs.writeSync(handle, byte, 0, 1, offset);
  fs.closeSync(handle);
}
