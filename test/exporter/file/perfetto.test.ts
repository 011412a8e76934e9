import { describe, expect, test } from 'vitest';
import { perfettoTrace } from '../../../src/exporter/file/perfetto/perfetto-trace.ts';
import { agentOsReading } from '../../support/agentos-vm.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import {
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from '../../support/fake-sample.ts';
import { goldenRecording } from '../../support/golden-recording.ts';
import { decodeTrace, type WireEvent, type WireTrace } from '../../support/perfetto-wire.ts';

const golden = decodeTrace(Buffer.concat([...perfettoTrace(goldenRecording())]));
// golden-recording.ts: it slept for ten minutes before second 20.
const nanos = (second: number) =>
  BigInt(startUnixMs + second * 1000 + (second < 20 ? 0 : 600_000)) * 1_000_000n;

function trackNamed(trace: WireTrace, name: string, parent?: number) {
  const found = [...trace.tracks.values()].filter(
    (track) => track.name === name && (parent === undefined || track.parent === parent),
  );
  expect(found).toHaveLength(1);
  return found[0]?.uuid ?? 0;
}

function valuesOf(trace: WireTrace, track: number): [bigint, number | null][] {
  return trace.events
    .filter((event) => event.track === track && event.type === 'counter')
    .map(({ timestamp, value }) => [timestamp, value]);
}

/** The value that a counter shows at a time: its last one. */
function valueAt(trace: WireTrace, track: number, timestamp: bigint): number | null | undefined {
  return valuesOf(trace, track)
    .filter(([at]) => at <= timestamp)
    .sort(([a], [b]) => Number(a - b))
    .at(-1)?.[1];
}

const processOf = (trace: WireTrace, pid: number) =>
  [...trace.tracks.values()].find((track) => track.pid === pid)?.uuid ?? 0;
const eventsOn = (trace: WireTrace, track: number): WireEvent[] =>
  trace.events.filter((event) => event.track === track && event.type !== 'counter');

describe('the clock', () => {
  test('is the wall clock of the recording, and the monotonic one is told', () => {
    expect(golden).toMatchObject({
      defaultClock: 1,
      primaryClock: 1,
      clocks: { 1: 1_795_960_800_000_000_000n, 3: 50_000_000_000n },
    });
    expect([...golden.sequences]).toEqual([1]);
    const times = golden.events.map(({ timestamp }) => timestamp);
    expect(times.every((at) => at >= nanos(0) && at <= nanos(100))).toBe(true);
  });

  test('a part of a recording begins and ends where it is asked to', () => {
    const range = { fromUnixMs: startUnixMs + 640_000, toUnixMs: startUnixMs + 650_000 };
    const part = decodeTrace(Buffer.concat([...perfettoTrace(goldenRecording(), range)]));
    const counters = part.events.filter(({ type }) => type === 'counter');
    expect(
      counters.every(({ timestamp }) => timestamp >= nanos(40) && timestamp <= nanos(50)),
    ).toBe(true);
    const renderer = trackNamed(part, 'RSS', processOf(part, 110));
    expect(valuesOf(part, renderer)).toHaveLength(11);
  });

  test('no sample, no trace', () => {
    expect([...perfettoTrace(fakeRecording({ samples: [] }))]).toEqual([]);
  });
});

describe('counters', () => {
  test('of the session, with their unit', () => {
    const track = trackNamed(golden, 'working set');
    expect(golden.tracks.get(track)?.unit).toBe('bytes');
    expect(valueAt(golden, track, nanos(30))).toBe(250 * mib);
    expect(valueAt(golden, trackNamed(golden, 'limit'), nanos(100))).toBe(400 * mib);
    expect(valueAt(golden, trackNamed(golden, 'memory, all'), nanos(100))).toBe(2000);
    expect(valueAt(golden, trackNamed(golden, 'OOM kills of the cgroup'), nanos(99))).toBe(0);
    expect(valueAt(golden, trackNamed(golden, 'OOM kills of the cgroup'), nanos(100))).toBe(1);
  });

  test('one that stays as it was is said once, and one that is not known never', () => {
    expect(valuesOf(golden, trackNamed(golden, 'limit'))).toEqual([[nanos(0), 400 * mib]]);
    expect([...golden.tracks.values()].map(({ name }) => name)).not.toContain('swap used');
  });

  test('of every role', () => {
    // 20 + 50 + 2 × 49 MiB, read at second 49.
    expect(valueAt(golden, trackNamed(golden, 'renderer PSS'), nanos(49))).toBe(168 * mib);
    expect(valueAt(golden, trackNamed(golden, 'renderer processes'), nanos(99))).toBe(1);
    expect(valueAt(golden, trackNamed(golden, 'renderer processes'), nanos(100))).toBe(0);
  });

  test('of every process, and nothing is left when it is gone', () => {
    const renderer = processOf(golden, 110);
    expect(golden.tracks.get(renderer)).toMatchObject({ name: 'renderer', pid: 110 });
    const rss = trackNamed(golden, 'RSS', renderer);
    expect(valueAt(golden, rss, nanos(50))).toBe(230 * mib);
    expect(valueAt(golden, rss, nanos(100))).toBe(0);
    // Not Chromium's: by its name.
    expect(golden.tracks.get(processOf(golden, 50))?.name).toBe('node');
    // Unknown all the time.
    expect(valuesOf(golden, trackNamed(golden, 'swap', renderer))).toEqual([]);
  });

  test('figures above 2^53 and below 0', () => {
    const samples = [
      fakeSample({
        second: 0,
        machine: { totalBytes: 2 ** 60 },
        processes: [fakeProcess({ pid: 7, role: 'renderer', oomScoreAdj: -1000 })],
      }),
    ];
    const trace = decodeTrace(Buffer.concat([...perfettoTrace(fakeRecording({ samples }))]));
    expect(valueAt(trace, trackNamed(trace, 'limit'), nanos(0))).toBe(2 ** 60);
    const [life] = eventsOn(trace, processOf(trace, 7));
    expect(life?.annotations).toMatchObject({ oom_score_adj: -1000 });
  });
});

describe('what happened', () => {
  test('a kill is an instant, on the time line of the session and of its victim', () => {
    const at = BigInt(startUnixMs + 699_500) * 1_000_000n;
    for (const track of [trackNamed(golden, 'Events'), processOf(golden, 110)]) {
      expect(eventsOn(golden, track)).toContainEqual(
        expect.objectContaining({
          timestamp: at,
          type: 'instant',
          name: 'OOM kill: chromium 110',
          category: 'oom_kill',
          annotations: expect.objectContaining({ pid: 110, scope: 'cgroup', rss_bytes: 330 * mib }),
        }),
      );
    }
  });

  test('an end is an instant, and the process a slice up to it', () => {
    const events = eventsOn(golden, processOf(golden, 110));
    expect(events.map(({ type, name, timestamp }) => [type, name, timestamp])).toEqual([
      ['instant', 'OOM kill: chromium 110', BigInt(startUnixMs + 699_500) * 1_000_000n],
      ['instant', 'ended', nanos(100)],
      ['begin', 'renderer', nanos(0)],
      ['end', null, nanos(100)],
    ]);
    expect(eventsOn(golden, trackNamed(golden, 'Events'))).toContainEqual(
      expect.objectContaining({ name: 'ended: renderer 110', timestamp: nanos(100) }),
    );
  });

  test('a gap is an instant, and a slice as long as nothing was recorded', () => {
    expect(eventsOn(golden, trackNamed(golden, 'Gaps'))).toEqual([
      expect.objectContaining({ type: 'begin', name: 'standby', timestamp: nanos(19) }),
      expect.objectContaining({ type: 'end', timestamp: nanos(20) }),
    ]);
    expect(eventsOn(golden, trackNamed(golden, 'Events'))).toContainEqual(
      expect.objectContaining({ type: 'instant', name: 'gap: standby' }),
    );
  });

  test('what was before the recording, or at no known time, is not on the time line', () => {
    const recording = fakeRecording({
      samples: [fakeSample({ second: 0 })],
      events: [
        fakeOomKill({ pid: 1, comm: 'a', timeUnixMs: startUnixMs - 86_400_000, beforeStart: true }),
        fakeOomKill({ pid: 2, comm: 'b', timeUnixMs: null }),
      ],
    });
    const trace = decodeTrace(Buffer.concat([...perfettoTrace(recording)]));
    expect(trace.events.filter(({ type }) => type === 'instant')).toEqual([]);
  });
});

test('a VM of agentOS has its counters by their names, and its sidecar is told as shared', () => {
  const samples = [
    {
      ...fakeSample({ second: 0 }),
      agentOs: agentOsReading({ sidecarVmCount: 2, inodeCount: null }),
    },
  ];
  const trace = decodeTrace(
    Buffer.concat([...perfettoTrace(fakeRecording({ samples, facts: { source: 'agentos' } }))]),
  );
  const vm = trackNamed(trace, 'VM of agentOS (its sidecar: all VMs on it together)');
  const lastOf = (name: string) => valuesOf(trace, trackNamed(trace, name, vm))[0]?.[1];
  expect(lastOf('headroom.agentos.resources file_descriptor')).toBe(12);
  expect(lastOf('headroom.agentos.sidecar.memory.usage')).toBe(286_261_248);
  expect(lastOf('headroom.agentos.sidecar.vms')).toBe(2);
  const names = [...trace.tracks.values()].map(({ name }) => name);
  expect(names).not.toContain('headroom.agentos.filesystem.inodes');
  expect([...golden.tracks.values()].filter(({ name }) => name?.includes('agent'))).toEqual([]);
});
