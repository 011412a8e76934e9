import { truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/driver.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { syntheticEvents, syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';
import { examine } from '../torture/examine.ts';
import { fullDiskRound } from '../torture/full-disk-round.ts';
import { killRound } from '../torture/kill-round.ts';

// `npm run torture -- --long` has hundreds; here the seeds stay the same.
const well = { lostCount: 0, partialCount: 0, problem: null };

test.each([1, 2])('kill -9 at a random moment, seed %i', { timeout: 300_000 }, async (seed) => {
  using folder = temporaryFolder();
  expect(await killRound(seed, folder.path)).toMatchObject(well);
});

test('a disk that fills up, and kill -9', { timeout: 300_000 }, async () => {
  using folder = temporaryFolder();
  const round = await fullDiskRound(1, folder.path);
  if (round !== null) expect(round).toMatchObject(well);
});

describe('what is wrong with a file is seen', () => {
  const session = { seed: 7, processCount: 4 };
  const whole = { ...session, runs: [{ skippedTicks: 0, sequenceBase: 0 }] };

  function recorded(file: string): string {
    const writer = StoreWriter.open(file, syntheticFacts());
    for (const sample of syntheticSamples({ ...session, tickCount: 100 })) {
      writer.writeSample(sample, syntheticEvents(sample));
    }
    writer.close({ endedUnixMs: 1_767_607_300_000, endReason: 'duration' });
    return file;
  }

  test.each([
    ['nothing', '', { tickCount: 100, partialCount: 0, problem: null }],
    ['a tick', 'DELETE FROM tick WHERE sequence = 50', { tickCount: 99 }],
    [
      'a stretch of ticks',
      'DELETE FROM tick WHERE sequence BETWEEN 20 AND 29',
      { tickCount: 90, problem: 'percentiles of 100000 ms, samples of 90000 ms' },
    ],
    [
      'a figure of a tick',
      'UPDATE tick SET machine_free_kib = machine_free_kib + 1 WHERE sequence IN (7, 9)',
      { tickCount: 100, partialCount: 2 },
    ],
    [
      'the processes of a tick',
      'DELETE FROM process_pss_row WHERE sequence = 31',
      { tickCount: 100, partialCount: 1 },
    ],
    ['an event', 'DELETE FROM event WHERE sequence = 30', { tickCount: 100, partialCount: 1 }],
    ['a minute of percentiles', 'DELETE FROM rollup', { problem: expect.any(String) }],
  ])('%s', (_, damage, expected) => {
    using folder = temporaryFolder();
    const file = recorded(folder.file('a.db'));
    const db = openDatabase(file, { mode: 'write', busyTimeoutMs: 0 });
    db.exec(damage);
    db.close();
    expect(examine(file, whole)).toMatchObject(expected);
  });

  test('a file that is cut off', () => {
    using folder = temporaryFolder();
    const file = recorded(folder.file('a.db'));
    truncateSync(file, 20_000);
    expect(examine(file, whole).problem).toMatch(/^FILE_CORRUPT: /);
  });
});
