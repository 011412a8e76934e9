import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { RecorderProcess } from '../support/recorder-process.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';

/** Lets a recorder run, kills it after so many samples and tells how many it said are in the file. */
async function recordAndKill(file: string, afterSamples: number): Promise<number> {
  const session = { seed: 1, processCount: 20, skippedTicks: 0, tickCount: 100_000 };
  const recorder = new RecorderProcess(file, session);
  await recorder.until(({ committedCount }) => committedCount >= afterSamples);
  return (await recorder.kill()).committedCount;
}

// A child on a busy machine takes seconds to start.
describe('kill -9 of the recorder', { timeout: 120_000 }, () => {
  // Before the first checkpoint of the log, around one, within the second minute.
  test.each([3, 57, 90])('after %d samples loses none and leaves none in part', async (samples) => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const last = await recordAndKill(file, samples);
    expect(last).toBeGreaterThanOrEqual(samples);

    using recording = openRecording(file);
    const ticks = [...recording.ticks()];
    expect(ticks.length).toBeGreaterThanOrEqual(last);
    expect(ticks.map(({ sequence }) => sequence)).toEqual(ticks.map((_, at) => at + 1));
    expect(recording.facts).toMatchObject({ endedUnixMs: null, endReason: 'lost' });
    expect(recording.isLive).toBe(false);

    const expected = [...syntheticSamples({ tickCount: ticks.length, processCount: 20 })];
    expect(ticks).toEqual(expected.map(({ processes: _, unreadable: __, ...tick }) => tick));
    // The generator reads the PSS of exactly one process a tick, and such a row is always stored.
    const pssRows = [...recording.processSamples()].filter(({ pssBytes }) => pssBytes !== null);
    expect(pssRows.map(({ pssBytes }) => pssBytes)).toEqual(
      expected.map(({ processes }) => processes.find((p) => p.pssBytes !== null)?.pssBytes),
    );
    const weights = recording.distribution({ scope: 'session', metric: 'working_set' })?.count;
    expect(weights).toBe(
      (ticks.at(-1)?.monotonicMs ?? 0) - (ticks[0]?.monotonicMs ?? 0) + (ticks[0]?.intervalMs ?? 0),
    );
  });

  test('leaves a file that is read without being changed, and that can go on', async () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    await recordAndKill(file, 40);
    const before = [file, `${file}-wal`].map((part) => readFileSync(part));
    const names = readdirSync(folder.path).toSorted();
    const recording = openRecording(file);
    const count = recording.tickCount();
    recording.close();
    expect([file, `${file}-wal`].map((part) => readFileSync(part))).toEqual(before);
    expect(readdirSync(folder.path).toSorted()).toEqual(names);

    const writer = StoreWriter.open(file, syntheticFacts());
    const [sample] = syntheticSamples({ tickCount: 1, processCount: 20 });
    if (sample !== undefined) writer.writeSample(sample, []);
    writer.close({ endedUnixMs: 1_767_607_300_000, endReason: 'signal' });
    expect(readdirSync(folder.path)).toEqual(['a.db']);
    using again = openRecording(file);
    expect(again.tickCount()).toBe(count + 1);
  });

  test('leaves two files that can be read when they are pulled together', async () => {
    using folder = temporaryFolder();
    await recordAndKill(folder.file('a.db'), 20);
    for (const part of ['', '-wal']) cpSync(folder.file(`a.db${part}`), folder.file(`b.db${part}`));
    using original = openRecording(folder.file('a.db'));
    using copy = openRecording(folder.file('b.db'));
    expect(copy.tickCount()).toBe(original.tickCount());
    expect(existsSync(folder.file('b.db-shm'))).toBe(false);
  });
});
