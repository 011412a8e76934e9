import { describe, expect, test } from 'vitest';
import { ChangeDetector } from '../../src/collector/change-detector.ts';
import type { RecordingEvent } from '../../src/model/event.ts';
import type { Unreadable } from '../../src/model/sample.ts';
import { caseJson, caseLines } from '../support/cases.ts';
import { type FakeSampleParts, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

/** The events at each of a row of samples. */
function compareAll(...samples: FakeSampleParts[]): RecordingEvent[][] {
  const detector = new ChangeDetector();
  return samples.map((parts) => detector.compare(fakeSample(parts)));
}

test('quiet ticks have no events, the first one neither', () => {
  expect(compareAll({ second: 0 }, { second: 1 }, { second: 2 })).toEqual([[], [], []]);
});

describe('limit', () => {
  test('a cgroup that cannot be read for once has not lost its limit', () => {
    const limited = { cgroup: { limitBytes: 512 * mib } };
    const events = compareAll({ second: 0, ...limited }, { second: 1 }, { second: 2, ...limited });
    expect(events).toEqual([[], [], []]);
  });

  const limited = (limitMib: number | null) => ({
    cgroup: { limitBytes: limitMib === null ? null : limitMib * mib },
  });

  test.each([
    ['a cgroup’s is set', limited(null), limited(512), 1024, 512],
    ['it is raised', limited(512), limited(768), 512, 768],
    ['it is taken away', limited(512), limited(null), 512, 1024],
    ['the machine grows', {}, { machine: { totalBytes: 2048 * mib } }, 1024, 2048],
  ])('%s', (_, before, after, fromMib, toMib) => {
    expect(compareAll({ second: 0, ...before }, { second: 1, ...after })[1]).toEqual([
      {
        kind: 'limit_change',
        timeUnixMs: startUnixMs + 1_000,
        fromBytes: fromMib * mib,
        toBytes: toMib * mib,
      },
    ]);
  });

  test('one above the machine’s memory binds nobody', () => {
    expect(compareAll({ second: 0, ...limited(4096) }, { second: 1, ...limited(8192) })[1]).toEqual(
      [],
    );
  });
});

describe('kill counters', () => {
  const machine = (second: number, oomKillCount: number | null) => ({
    second,
    activity: { oomKillCount },
  });
  const cgroup = (second: number, oomKillCount: number | null, path = '/s') => ({
    second,
    cgroup: { oomKillCount, path },
  });
  const counted = (events: RecordingEvent[][]) =>
    events.flat().map((event) => (event.kind === 'oom_counter' ? [event.counter, event.count] : 0));

  test.each<[string, FakeSampleParts[], unknown[]]>([
    ['one of the machine', [machine(0, 3), machine(1, 4)], [['machine', 1]]],
    ['three at once in the cgroup', [cgroup(0, 0), cgroup(1, 3)], [['cgroup', 3]]],
    ['none', [machine(0, 3), machine(1, 3)], []],
    ['back: another boot or a restored snapshot', [machine(0, 5), machine(1, 3)], []],
    ['unknown before', [machine(0, null), machine(1, 3)], []],
    ['unknown after', [machine(0, 3), machine(1, null)], []],
    ['another cgroup’s counter', [cgroup(0, 0, '/a'), cgroup(1, 7, '/b')], []],
  ])('%s', (_, samples, expected) => {
    expect(counted(compareAll(...samples))).toEqual(expected);
  });

  test('case 061: a snapshot restored: two kills, not a negative one', () => {
    interface Row {
      mono: number;
      real: number;
      oom_kill: number;
    }
    const folder = '061-snapshot-restore';
    const rows = caseLines<Row>(`${folder}/samples.jsonl`);
    const { epochs, oom_kills_total } = caseJson<{ epochs: number; oom_kills_total: number }>(
      `${folder}/expected.json`,
    );
    const events = compareAll(
      ...rows.map((row, index) => ({
        second: index,
        intervalMs: 10_000,
        monotonicMs: row.mono * 1_000,
        timeUnixMs: row.real * 1_000,
        activity: { oomKillCount: row.oom_kill },
      })),
    ).flat();
    const kills = events.map((event) => (event.kind === 'oom_counter' ? event.count : 0));
    expect(kills.reduce((sum, count) => sum + count, 0)).toBe(oom_kills_total);
    const restarts = events.filter((event) => event.kind === 'gap' && event.gap === 'restart');
    expect(restarts).toHaveLength(epochs - 1);
  });
});

test('a gap of the clocks', () => {
  const later = { second: 1, timeUnixMs: startUnixMs + 601_000 };
  expect(compareAll({ second: 0 }, later)[1]).toEqual([
    {
      kind: 'gap',
      gap: 'standby',
      fromUnixMs: startUnixMs,
      toUnixMs: startUnixMs + 601_000,
      timeUnixMs: startUnixMs + 601_000,
      wallMs: 601_000,
      monotonicMs: 1_000,
    },
  ]);
});

describe('the wall clock 10 minutes ahead', () => {
  /** Samples at these seconds of the wall clock, one a second of the monotonic one. */
  const gapsOf = (wallSeconds: readonly number[], readSuspendedMs: () => number | null) => {
    const detector = new ChangeDetector(readSuspendedMs);
    return wallSeconds.flatMap((wall, second) =>
      detector
        .compare(fakeSample({ second, timeUnixMs: startUnixMs + wall * 1_000 }))
        .map((event) => (event.kind === 'gap' ? event.gap : event.kind)),
    );
  };

  test.each<[string, (number | null)[], string]>([
    ['the machine slept', [40_000, 640_000], 'standby'],
    ['it did not', [40_000, 40_000], 'clock_step'],
    ['it did before the recording', [640_000, 640_000], 'clock_step'],
    ['it cannot be told at the start', [null, 640_000], 'standby'],
    ['it cannot be told after', [40_000, null], 'standby'],
  ])('%s', (_, answers, kind) => {
    const asked = answers[Symbol.iterator]();
    expect(gapsOf([0, 1, 602, 603], () => asked.next().value ?? null)).toEqual([kind]);
  });

  test('asked at the start and when the clock jumps, and not at other ticks', () => {
    let asked = 0;
    const gaps = gapsOf([0, 1, 2, 3, 604, 605, 5], () => {
      asked++;
      return 0;
    });
    expect(gaps).toEqual(['clock_step', 'clock_step']);
    expect(asked).toBe(2);
  });

  test('a sleep too short for a gap is not taken for a part of the next jump', () => {
    // 2 s asleep twice, then set forward by 5 s.
    const answers = [0, 2_000, 4_000, 4_000][Symbol.iterator]();
    expect(gapsOf([0, 3, 6, 12], () => answers.next().value ?? null)).toEqual(['clock_step']);
  });
});

test('what cannot be read is told once a file, also when it comes back and goes again', () => {
  const detector = new ChangeDetector();
  const psi: Unreadable = { source: '/proc/pressure/memory', reason: 'missing' };
  const vmstat: Unreadable = { source: '/proc/vmstat', reason: 'denied' };
  const notes = [[psi], [psi], [], [psi, vmstat]].map((unreadable, second) =>
    detector.compare({ ...fakeSample({ second }), unreadable }),
  );
  expect(notes).toEqual([
    [
      {
        kind: 'note',
        timeUnixMs: startUnixMs,
        code: 'source_unreadable',
        message: '/proc/pressure/memory: missing',
      },
    ],
    [],
    [],
    [expect.objectContaining({ message: '/proc/vmstat: denied' })],
  ]);
});
