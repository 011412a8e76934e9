import { afterAll, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { fakeSample, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { recordSamples } from '../support/record-samples.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test('a recording without a sample tells nothing', () => {
  const file = folder.file('empty.db');
  recordSamples(file, []);
  using recording = openRecording(file);
  expect(recording.gist()).toEqual({
    highWater: recording.highWater(),
    workingSetBytes: null,
    utilizationRatio: null,
    workingSetMinutes: [],
    lastUnixMs: null,
    lastSequence: 0,
    memoryWait: { fullMs: null, someMs: null, refaultCount: null },
    gaps: [],
    hasOddEvent: false,
  });
});

// Loose ticks; minutes; an hour, and minutes behind it.
test.each([
  [20, 1000],
  [200, 1000],
  [400, 10_000],
])('%i ticks of %i ms: the distributions of the whole recording', (tickCount, intervalMs) => {
  const file = folder.file(`same-${tickCount}.db`);
  const samples = [...syntheticSamples({ tickCount, intervalMs, processCount: 3 })];
  recordSamples(file, samples, { facts: syntheticFacts() });
  using recording = openRecording(file);
  const gist = recording.gist();
  const windows = recording.windows({ scope: 'session', metric: 'working_set' });
  const hasHours = tickCount * intervalMs > 3_600_000;
  expect(gist.workingSetMinutes).toEqual(hasHours ? null : windows);
  for (const [metric, sketch] of [
    ['working_set', gist.workingSetBytes],
    ['utilization', gist.utilizationRatio],
  ] as const) {
    const known = recording.distribution({ scope: 'session', metric });
    expect(sketch?.buckets()).toEqual(known?.buckets());
    expect([sketch?.count, sketch?.min, sketch?.max]).toEqual([
      known?.count,
      known?.min,
      known?.max,
    ]);
  }
});

test('the last sample, gaps, and waiting for memory in all and in the worst minutes', () => {
  const file = folder.file('waits.db');
  // Ten minutes, a sample every 10 s; all tasks wait for 3 s in the fifth of them.
  const samples = Array.from({ length: 60 }, (_, at) =>
    fakeSample({
      second: at * 10,
      sequence: at + 1,
      intervalMs: 10_000,
      pressure: { memoryFullMs: at < 25 ? 7 : 3007, memorySomeMs: at * 10 },
    }),
  );
  const gap = {
    kind: 'gap',
    gap: 'standby',
    fromUnixMs: startUnixMs - 5000,
    toUnixMs: startUnixMs,
    timeUnixMs: startUnixMs,
    wallMs: 5000,
    monotonicMs: 1000,
  } as const;
  recordSamples(file, samples, { events: [gap] });
  using recording = openRecording(file);
  expect(recording.gist()).toMatchObject({
    lastUnixMs: startUnixMs + 590_000,
    lastSequence: 60,
    memoryWait: { fullMs: 3000, someMs: 590, refaultCount: null },
    gaps: [gap],
  });
  // Three minutes have 18 samples: 180 ms.
  expect(recording.worstMinutes()).toEqual({ fullMs: 3000, someMs: 180, refaultCount: null });
});
