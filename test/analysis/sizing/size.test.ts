import fs from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { size } from '../../../src/analysis/sizing/size.ts';
import type { RecordingEvent } from '../../../src/model/event.ts';
import type { CgroupMemory, Sample } from '../../../src/model/sample.ts';
import { caseJson, caseLines } from '../../support/cases.ts';
import {
  type FakeSampleParts,
  fakeFacts,
  fakeOomKill,
  fakeSample,
  mib,
} from '../../support/fake-sample.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { recordSamples } from '../../support/record-samples.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const gib = 1024 * mib;
let made = 0;

/** One recording of its own session; gives its path. */
function recorded(
  samples: readonly Sample[],
  parts: { events?: readonly RecordingEvent[]; labels?: Record<string, string>; id?: string } = {},
): string {
  const number = ++made;
  const file = folder.file(`${number}.db`);
  const { labels = {}, id = `session-${number}`, events = [] } = parts;
  const facts = fakeFacts({ id, labels, endedUnixMs: null, endReason: null });
  recordSamples(file, samples, { facts, events });
  return file;
}

function onMachine(usedMib: number, parts: Partial<FakeSampleParts> = {}): Sample[] {
  return [0, 1, 2].map((second) =>
    fakeSample({
      second,
      machine: {
        totalBytes: 978 * mib,
        freeBytes: (978 - usedMib - 50) * mib,
        availableBytes: (978 - usedMib) * mib,
        inactiveFileBytes: 50 * mib,
        shmemBytes: 100 * mib,
        swapTotalBytes: 0,
      },
      ...parts,
    }),
  );
}

/** Goes on after {@link onMachine}. */
function later(usedMib: number): Sample[] {
  return onMachine(usedMib).map((sample) => ({
    ...sample,
    sequence: sample.sequence + 3,
    timeUnixMs: sample.timeUnixMs + 3000,
    monotonicMs: sample.monotonicMs + 3000,
  }));
}

function inCgroup(readings: readonly Partial<CgroupMemory>[]): Sample[] {
  return readings.map((cgroup, second) =>
    fakeSample({
      second,
      machine: { totalBytes: 8192 * mib, availableBytes: 7000 * mib, swapTotalBytes: 0 },
      cgroup: { limitBytes: 400 * mib, ...cgroup },
    }),
  );
}

const demandOf = (...files: string[]) => {
  const { demandBytes, demandSources, censored } = size(files);
  return { max: demandBytes.max, censored, demandSources };
};

test('demand is the largest working set; shared memory is in it and not counted twice', () => {
  expect(demandOf(recorded(onMachine(600)))).toEqual({
    max: 600 * mib,
    censored: 0,
    demandSources: { 'memory.peak': 0, max_usage_in_bytes: 0, samples: 1 },
  });
});

test.each([
  [2, 'memory.peak'],
  [1, 'max_usage_in_bytes'],
] as const)(
  'cgroup v%d: between two samples the kernel’s mark, less the cache beside it',
  (version, source) => {
    const file = recorded(
      inCgroup([
        { version, chargedBytes: 200 * mib, inactiveFileBytes: 40 * mib, peakBytes: 210 * mib },
        // Between the two it was charged 350 MiB, of which 30 to 40 MiB were cache.
        { version, chargedBytes: 250 * mib, inactiveFileBytes: 30 * mib, peakBytes: 350 * mib },
      ]),
    );
    expect(demandOf(file)).toMatchObject({ max: 320 * mib, demandSources: { [source]: 1 } });
  },
);

test('a mark that was reached before the recording is not of this session', () => {
  const reading = { chargedBytes: 200 * mib, inactiveFileBytes: 40 * mib, peakBytes: 399 * mib };
  expect(demandOf(recorded(inCgroup([reading, reading])))).toMatchObject({
    max: 160 * mib,
    demandSources: { samples: 1 },
  });
});

test('what was swapped out is needed as well', () => {
  const machine = {
    totalBytes: 978 * mib,
    freeBytes: 300 * mib,
    availableBytes: 400 * mib,
    inactiveFileBytes: 78 * mib,
    swapTotalBytes: 512 * mib,
    swapFreeBytes: 462 * mib,
  };
  expect(demandOf(recorded(onMachine(0, { machine })))).toMatchObject({ max: 650 * mib });
});

test('099: a full page cache is no demand, and 1 GiB fits', () => {
  const lines = caseLines<{
    boot: number;
    mem_total_kb: number;
    mem_free_kb: number;
    mem_available_kb: number;
  }>('099-full-page-cache-is-healthy/samples.jsonl');
  const samples = lines.map((line, at) =>
    fakeSample({
      second: line.boot,
      sequence: at + 1,
      machine: {
        totalBytes: line.mem_total_kb * 1024,
        freeBytes: line.mem_free_kb * 1024,
        availableBytes: line.mem_available_kb * 1024,
        // What is available and not free is cache.
        inactiveFileBytes: (line.mem_available_kb - line.mem_free_kb) * 1024,
        swapTotalBytes: 0,
      },
      pressure: { memoryFullMs: 0, memorySomeMs: 0 },
    }),
  );
  const report = size([recorded(samples)]);
  expect(report).toMatchObject({ censored: 0, recommendation: { tierBytes: gib } });
  expect(report.tiers[0]?.sessionsFit).toBe(1);
});

test('097: demand is the working set of the cgroup, not the sum of RSS', () => {
  const last = caseJson<{ rss: number; cg: number }>(
    '097-rss-sum-is-three-times-the-truth/expected.json',
  );
  const samples = inCgroup([{ chargedBytes: last.cg * 1024, inactiveFileBytes: 0 }]);
  expect(demandOf(recorded(samples)).max).toBe(400 * mib);
});

test('103: a peak of six seconds counts, however long the rest was', () => {
  const lines = caseLines<{ boot: number; usage: number }>('103-irregular-intervals/samples.jsonl');
  const expected = caseJson<{ max_mib: number }>('103-irregular-intervals/expected.json');
  const samples = lines.map(({ boot, usage }, at) =>
    fakeSample({
      second: boot,
      sequence: at + 1,
      machine: {
        totalBytes: 8192 * mib,
        freeBytes: 8192 * mib - usage,
        availableBytes: 8192 * mib - usage,
        inactiveFileBytes: 0,
        swapTotalBytes: 0,
      },
    }),
  );
  expect(demandOf(recorded(samples)).max).toBe(expected.max_mib * mib);
});

const kill = fakeOomKill({ pid: 4, comm: 'chromium', scope: 'cgroup', cgroup: '/session' });

test('101: a session with an OOM kill is censored, one from before it is not', () => {
  const full = [{ chargedBytes: 400 * mib, inactiveFileBytes: 0 }];
  const light = [{ chargedBytes: 100 * mib, inactiveFileBytes: 0 }];
  const killed = recorded(inCgroup(full), { events: [kill] });
  const earlier = recorded(inCgroup(light), { events: [{ ...kill, beforeStart: true }] });
  const counted = recorded(inCgroup(light), {
    events: [{ kind: 'oom_counter', timeUnixMs: 1_795_960_800_000, counter: 'cgroup', count: 1 }],
  });
  expect(demandOf(killed)).toMatchObject({ censored: 1, max: null });
  expect(demandOf(earlier)).toMatchObject({ censored: 0, max: 100 * mib });
  expect(size([killed, earlier]).recommendation).toMatchObject({ reachable: false });
  expect(size([counted])).toMatchObject({ sessions: 1 });
});

test('held at the limit with everything waiting for memory: censored; only near it: not', () => {
  const near = (fullMsPerSecond: number) =>
    recorded(
      Array.from({ length: 15 }, (_, second) =>
        fakeSample({
          second,
          machine: {
            totalBytes: 978 * mib,
            freeBytes: 20 * mib,
            availableBytes: 20 * mib,
            inactiveFileBytes: 0,
          },
          pressure: {
            memoryFullMs: fullMsPerSecond * second,
            memorySomeMs: fullMsPerSecond * second,
          },
        }),
      ),
    );
  expect(demandOf(near(300))).toMatchObject({ censored: 1 });
  expect(demandOf(near(0))).toMatchObject({ censored: 0, max: 958 * mib });
});

test('files that cannot be read are named, and the others answered', () => {
  const good = recorded(onMachine(500));
  const torn = recorded(onMachine(500));
  fs.writeFileSync(torn, fs.readFileSync(torn).subarray(0, 5000));
  const report = size([good, torn, folder.file('none.db'), good]);
  expect(report.sessions).toBe(1);
  expect(report.skipped.map(({ file, code }) => [file, code])).toEqual([
    [torn, 'FILE_CORRUPT'],
    [folder.file('none.db'), 'FILE_NOT_FOUND'],
    [good, null],
  ]);
  expect(report.skipped[2]?.reason).toContain('the same session as');
});

test('of several recordings of a session the longest counts, whatever its name', () => {
  const short = recorded(onMachine(300), { id: 'twice' });
  const long = recorded([...onMachine(300), ...later(500)], { id: 'twice' });
  for (const files of [
    [short, long],
    [long, short],
  ]) {
    const { demandBytes, sessions, skipped } = size(files);
    expect([sessions, demandBytes.max]).toEqual([1, 500 * mib]);
    expect(skipped).toEqual([{ file: short, code: null, reason: `the same session as ${long}` }]);
  }
});

test('a recording without a sample, and without figures, is left out', () => {
  const empty = recorded([]);
  const blind = recorded([fakeSample({ second: 0 })]);
  const report = size([empty, blind]);
  expect(report.sessions).toBe(0);
  expect(report.skipped.map(({ reason }) => reason)).toEqual(
    Array(2).fill('it does not tell how much memory was used'),
  );
});

test('groups by a label, those without it last', () => {
  const a = recorded(onMachine(300), { labels: { workload: 'a' } });
  const b = recorded(onMachine(940), { labels: { workload: 'b' } });
  const none = recorded(onMachine(100));
  const { groups, sessions } = size([none, b, a], { by: 'workload' });
  expect(sessions).toBe(3);
  expect(groups.map(({ value, recommendation }) => [value, recommendation.tierBytes])).toEqual([
    ['a', gib],
    ['b', 8 * gib],
    [null, gib],
  ]);
});

test('shares outside of 0 to 1 and no tier are refused', () => {
  expect(() => size([], { fitRatio: 1 })).toThrow(RangeError);
  expect(() => size([], { confidence: 0 })).toThrow(RangeError);
  expect(() => size([], { tiers: [] })).toThrow(RangeError);
});

test.each(['__proto__', 'constructor', 'toString'])('a label may be called %s', (label) => {
  // A literal would set the prototype.
  const labels = Object.fromEntries([[label, 'x']]);
  const files = [recorded(onMachine(400), { labels }), recorded(onMachine(410))];
  const { groups } = size(files, { by: label });
  expect(groups.map(({ value, sessions }) => [value, sessions])).toEqual([
    ['x', 1],
    [null, 1],
  ]);
});
