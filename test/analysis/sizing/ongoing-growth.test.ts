import { afterAll, expect, test } from 'vitest';
import { fleetSessionOf } from '../../../src/analysis/fleet/fleet-session.ts';
import { sessionDemand } from '../../../src/analysis/sizing/session-demand.ts';
import type { Gap } from '../../../src/model/event.ts';
import type { OngoingGrowth } from '../../../src/model/ongoing-growth.ts';
import type { Sample } from '../../../src/model/sample.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../../support/fake-sample.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { recordSamples } from '../../support/record-samples.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
let made = 0;

interface Story {
  /** Of the samples; a multiple of how far they are apart. */
  lastSecond: number;
  everySeconds: number;
  usedMib: (second: number) => number;
  events?: readonly Gap[];
}

/** As the sessions of a fleet are read, and as single files are: the two have to agree. */
function growthOf({ lastSecond, everySeconds, usedMib, events = [] }: Story): OngoingGrowth | null {
  const file = folder.file(`${++made}.db`);
  const samples: Sample[] = [];
  for (let second = 0; second <= lastSecond; second += everySeconds) {
    const bytes = Math.round(usedMib(second)) * mib;
    samples.push(
      fakeSample({
        second,
        sequence: second / everySeconds + 1,
        intervalMs: everySeconds * 1000,
        machine: { totalBytes: 8192 * mib, availableBytes: 7000 * mib, swapTotalBytes: 0 },
        cgroup: {
          limitBytes: 1024 * mib,
          chargedBytes: bytes,
          anonBytes: bytes,
          inactiveFileBytes: 0,
          swapBytes: 0,
        },
        processes: [fakeProcess({ pid: 100, role: 'browser' })],
      }),
    );
  }
  recordSamples(file, samples, { events });
  using recording = openRecording(file);
  const growth = sessionDemand(recording)?.growth ?? null;
  expect(fleetSessionOf(recording)?.growth).toEqual(growth);
  return growth;
}

const none = { bytesPerMinute: 0, aheadMs: 0 };
const gap: Gap = {
  kind: 'gap',
  gap: 'standby',
  fromUnixMs: startUnixMs - 120_000,
  toUnixMs: startUnixMs,
  timeUnixMs: startUnixMs,
  wallMs: 120_000,
  monotonicMs: 0,
};

test.each<[string, Story, OngoingGrowth | null]>([
  [
    'ten minutes, by its minutes',
    { lastSecond: 600, everySeconds: 10, usedMib: (second) => 200 + second / 2 },
    // The last minute has one sample, half a minute's growth above the middle of the others.
    { bytesPerMinute: 30 * mib, aheadMs: 24 * 600_000 },
  ],
  [
    'two minutes, by samples',
    { lastSecond: 120, everySeconds: 2, usedMib: (second) => 200 + second / 2 },
    { bytesPerMinute: 30 * mib, aheadMs: 24 * 120_000 },
  ],
  [
    'two hours, of which minutes are looked at as well',
    { lastSecond: 7200, everySeconds: 60, usedMib: (second) => 200 + second / 60 },
    { bytesPerMinute: mib, aheadMs: 86_400_000 },
  ],
  ['a plateau', { lastSecond: 600, everySeconds: 10, usedMib: () => 400 }, none],
  [
    'a start',
    { lastSecond: 600, everySeconds: 10, usedMib: (second) => Math.min(500, 100 + 4 * second) },
    none,
  ],
  [
    'a saw of garbage collections',
    { lastSecond: 600, everySeconds: 10, usedMib: (second) => 300 + (second % 150) },
    none,
  ],
  [
    'a saw that falls between its thirds',
    { lastSecond: 180, everySeconds: 1, usedMib: (second) => 300 + (118 * (second % 60)) / 60 },
    none,
  ],
  [
    'a longer one, by its minutes',
    { lastSecond: 900, everySeconds: 10, usedMib: (second) => 300 + (118 * (second % 300)) / 300 },
    none,
  ],
  [
    'less than a minute of it, whose end says it all the same',
    { lastSecond: 40, everySeconds: 1, usedMib: (second) => 200 + 15 * Math.max(0, second - 10) },
    { bytesPerMinute: 900 * mib, aheadMs: 60_000 },
  ],
  ['half a minute', { lastSecond: 30, everySeconds: 1, usedMib: () => 400 }, null],
  [
    'gaps of a fifth',
    {
      lastSecond: 600,
      everySeconds: 10,
      usedMib: (second) => 200 + second / 2,
      events: [gap],
    },
    null,
  ],
  [
    // 200 + 30 · 15 = 650 of 1024 MiB: 374 are left, 25 s at that pace.
    'calm, and a page that ran towards the limit in the last half minute',
    {
      lastSecond: 240,
      everySeconds: 1,
      usedMib: (second) => 200 + 15 * Math.max(0, second - 210),
    },
    { bytesPerMinute: 900 * mib, aheadMs: 60_000 },
  ],
])('%s', (_, story, expected) => {
  const growth = growthOf(story);
  if (expected === null || growth === null) expect(growth).toBe(expected);
  else {
    expect(growth.aheadMs).toBe(expected.aheadMs);
    // A slope between samples and means of minutes: some per cent.
    expect(Math.abs(growth.bytesPerMinute - expected.bytesPerMinute)).toBeLessThanOrEqual(
      0.05 * expected.bytesPerMinute,
    );
  }
});
