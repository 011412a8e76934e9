import fs from 'node:fs';
import { expect, test } from 'vitest';
import { trackCoverage } from '../../src/analysis/coverage.ts';
import type { Gap, RecordingEvent } from '../../src/model/event.ts';
import type { ResolutionStretch } from '../../src/model/recording.ts';
import type { Sample } from '../../src/model/sample.ts';
import { fakeSample, startUnixMs } from '../support/fake-sample.ts';

const everySample: ResolutionStretch = {
  resolution: 'ticks',
  fromUnixMs: startUnixMs,
  toUnixMs: startUnixMs,
  firstSequence: 0,
  sampleCount: 0,
  lostCount: 0,
};

function coverageOf(samples: readonly Sample[], events: readonly RecordingEvent[] = []) {
  const intervalMs = samples[0]?.intervalMs ?? 1000;
  const tracker = trackCoverage({
    intervalMs,
    events,
    resolutions: samples.length === 0 ? [] : [everySample],
  });
  for (const sample of samples) tracker.add(sample);
  return tracker.result();
}

function caseSamples(name: string): Sample[] {
  const file = new URL(`../fixtures/cases/${name}`, import.meta.url);
  return fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { mono: number; real: number })
    .map(({ mono, real }, index) =>
      fakeSample({
        second: 0,
        sequence: index + 1,
        timeUnixMs: real * 1000,
        monotonicMs: mono * 1000,
        intervalMs: 10_000,
      }),
    );
}

test.each(['059-standby-gap/samples.jsonl', '059-standby-gap/variant_b.jsonl'])(
  '%s: one gap of standby, found on the clocks',
  (name) => {
    const { gaps, samples } = coverageOf(caseSamples(name));
    expect(samples).toBe(6);
    // expected.json: 1 gap, 600 s; the ticks around it are 610 s apart, 10 s of which were awake.
    expect(gaps).toEqual([
      { fromUnixMs: 1_020_000, toUnixMs: 1_630_000, kind: 'standby', missingMs: 600_000 },
    ]);
  },
);

test('061: a restored snapshot is a restart, whatever the wall clock says', () => {
  const { gaps } = coverageOf(caseSamples('061-snapshot-restore/samples.jsonl'));
  // Between mono 110 and 140 three ticks are missing as well.
  expect(gaps.map((gap) => gap.kind)).toEqual(['stall', 'restart']);
  expect(gaps[1]).toMatchObject({ fromUnixMs: 1_050_000, toUnixMs: 5_050_000 });
});

test('a gap that the recorder noted and the clocks show is one gap', () => {
  const noted: Gap = {
    kind: 'gap',
    gap: 'lost',
    fromUnixMs: startUnixMs + 1000,
    toUnixMs: startUnixMs + 9000,
    timeUnixMs: startUnixMs + 9000,
    wallMs: 8000,
    monotonicMs: 8000,
  };
  const samples = [0, 1, 9, 10, 20].map((second) => fakeSample({ second }));
  expect(coverageOf(samples, [noted]).gaps).toMatchObject([
    { fromUnixMs: startUnixMs + 1000, toUnixMs: startUnixMs + 9000, kind: 'lost' },
    { fromUnixMs: startUnixMs + 10_000, toUnixMs: startUnixMs + 20_000, kind: 'stall' },
  ]);
});

test.each([
  // Forward: a stretch of the wall clock has no sample. Back: none is missing.
  ['forward', 601_000, 600_000],
  ['back', -3_599_000, 0],
])('a clock that was set %s', (_, wallMs, missingMs) => {
  const noted: Gap = {
    kind: 'gap',
    gap: 'clock_step',
    fromUnixMs: startUnixMs,
    toUnixMs: startUnixMs + wallMs,
    timeUnixMs: startUnixMs + wallMs,
    wallMs,
    monotonicMs: 1000,
  };
  const samples = [
    fakeSample({ second: 0 }),
    fakeSample({ second: 1, timeUnixMs: startUnixMs + wallMs }),
  ];
  const { gaps, lengthMs } = coverageOf(samples, [noted]);
  expect(gaps).toEqual([
    { fromUnixMs: startUnixMs, toUnixMs: startUnixMs + wallMs, kind: 'clock_step', missingMs },
  ]);
  // By the monotonic clock it was a second.
  expect(lengthMs).toBe(1000);
});

test('two gaps that share the tick between them are two', () => {
  const noted: Gap = {
    kind: 'gap',
    gap: 'lost',
    fromUnixMs: startUnixMs,
    toUnixMs: startUnixMs + 9000,
    timeUnixMs: startUnixMs + 9000,
    wallMs: 9000,
    monotonicMs: 9000,
  };
  const samples = [0, 9, 18].map((second) => fakeSample({ second }));
  expect(coverageOf(samples, [noted]).gaps.map((gap) => gap.kind)).toEqual(['lost', 'stall']);
});

test('missed ticks: what the recorder counted, and holes in the sequence', () => {
  const { missedTicks } = coverageOf([
    fakeSample({ second: 0, sequence: 1, collector: { missedTickCount: 0 } }),
    fakeSample({ second: 3, sequence: 2, collector: { missedTickCount: 2 } }),
    // Two samples were taken and not stored.
    fakeSample({ second: 6, sequence: 5, collector: { missedTickCount: 2 } }),
    // Another recorder counts from the beginning.
    fakeSample({ second: 7, sequence: 6, collector: { missedTickCount: 0 } }),
  ]);
  expect(missedTicks).toBe(4);
});

test('nothing recorded: no samples, no instants, no gaps', () => {
  expect(coverageOf([])).toEqual({
    resolutions: [],
    samples: 0,
    intervalMs: 1000,
    missedTicks: 0,
    firstUnixMs: null,
    lastUnixMs: null,
    lengthMs: null,
    gaps: [],
  });
});

test('where ticks were thinned the samples are those that it was made of, and minutes are no gaps', () => {
  const thinned: ResolutionStretch = {
    resolution: 'minutes',
    fromUnixMs: startUnixMs,
    toUnixMs: startUnixMs + 119_000,
    firstSequence: 0,
    sampleCount: 117,
    lostCount: 3,
  };
  const tracker = trackCoverage({
    intervalMs: 1000,
    events: [],
    resolutions: [thinned, { ...everySample, firstSequence: 121 }],
  });
  for (const second of [59, 119, 120, 121]) tracker.add(fakeSample({ second }));
  expect(tracker.result()).toEqual({
    samples: 119,
    intervalMs: 1000,
    missedTicks: 3,
    firstUnixMs: startUnixMs,
    lastUnixMs: startUnixMs + 121_000,
    lengthMs: 121_000,
    gaps: [],
    resolutions: [
      {
        resolution: 'minutes',
        fromUnixMs: startUnixMs,
        toUnixMs: startUnixMs + 119_000,
        samples: 117,
      },
      { resolution: 'ticks', fromUnixMs: startUnixMs, toUnixMs: startUnixMs, samples: 0 },
    ],
  });
});
