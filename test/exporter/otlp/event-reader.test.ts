import { describe, expect, test } from 'vitest';
import { eventCatalog, recordIdAttribute } from '../../../src/exporter/event-catalog.ts';
import { identityAttributes } from '../../../src/exporter/metric-definition.ts';
import type { Batch } from '../../../src/exporter/otlp/batch.ts';
import { EventReader } from '../../../src/exporter/otlp/event-reader.ts';
import type { EventRecord } from '../../../src/exporter/otlp/event-record.ts';
import type { ProcessExit, RecordingEvent } from '../../../src/model/event.ts';
import type { Recording } from '../../../src/model/recording.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import {
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from '../../support/fake-sample.ts';
import { goldenRecording } from '../../support/golden-recording.ts';

const limits = { items: 100, spanMs: 300_000 };
const hour = startUnixMs + 3_600_000;
const ended = { ended: true, nowUnixMs: hour };

test('a session from its start to its end, each event at the time when it happened', () => {
  const [batch, ...more] = allBatches(new EventReader(goldenRecording(), null), goldenRecording());
  expect(more).toEqual([]);
  expect(batch).toMatchObject({ sequence: 6, closesSession: true, dropped: {} });
  expect(
    batch?.items.map(({ name, timeUnixMs, severity }) => [name, timeUnixMs, severity]),
  ).toEqual([
    ['session.start', startUnixMs, 'INFO'],
    ['headroom.recording.gap', startUnixMs + 620_000, 'WARN'],
    ['headroom.recording.note', startUnixMs, 'INFO'],
    ['headroom.oom.kill', startUnixMs + 699_500, 'ERROR'],
    ['session.end', startUnixMs + 700_000, 'INFO'],
  ]);
});

test('a kill says who was killed, what it held and whose limit it was', () => {
  const records = recordsOf(goldenRecording());
  const kill = records.find(({ name }) => name === 'headroom.oom.kill');
  expect(kill).toMatchObject({
    body: 'the kernel killed renderer 110 (chromium) of 330 MiB for want of memory, limit of /session',
    // The tick with which it was written down.
    observedUnixMs: startUnixMs + 700_000,
  });
  expect(kill?.attributes).toMatchObject({
    'session.id': '3f1f3a52-8a35-4d5f-9d3a-000000000001',
    'log.record.uid': '3f1f3a52-8a35-4d5f-9d3a-000000000001-3',
    'process.pid': 110,
    'process.executable.name': 'chromium',
    'headroom.process.role': 'renderer',
    'headroom.oom.victim': 'browser',
    'headroom.oom.victim.memory': 330 * mib,
    'headroom.oom.cgroup': '/session',
    'headroom.oom.cgroup.limit': 400 * mib,
  });
});

test('records have the attributes of the catalogue, and each its own id', () => {
  const exits: Partial<ProcessExit>[] = [
    { signal: 'SIGSEGV' },
    { signal: 'SIGKILL' },
    { exitCode: 3 },
  ];
  const records = [
    ...recordsOf(goldenRecording()),
    ...recordsOf(recordingWith([...exits.map(exitOf), limitChange])),
  ];
  for (const { name, attributes } of records) {
    const known = eventCatalog.find((one) => one.name === name)?.attributes ?? [];
    const allowed: string[] = [
      ...identityAttributes,
      'headroom.label.suite',
      recordIdAttribute,
      ...known,
    ];
    expect(Object.keys(attributes).filter((key) => !allowed.includes(key))).toEqual([]);
  }
  const ids = recordsOf(goldenRecording()).map(({ attributes }) => attributes[recordIdAttribute]);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('ends of processes', () => {
  test.each<[string, Partial<ProcessExit>, string | null, string | null]>([
    ['a crash', { signal: 'SIGSEGV' }, 'headroom.process.crash', 'ERROR'],
    ['V8 or the allocator gave up', { signal: 'SIGTRAP' }, 'headroom.process.crash', 'ERROR'],
    ['killed', { signal: 'SIGKILL' }, 'headroom.process.exit', 'WARN'],
    ['a closed tab', { signal: 'SIGTERM' }, 'headroom.process.exit', 'INFO'],
    ['a code', { exitCode: 1 }, 'headroom.process.exit', 'INFO'],
    ['a routine end', { exitCode: 0 }, null, null],
    ['gone, nobody knows how', { source: 'vanished' }, null, null],
    [
      'the browser, nobody knows how',
      { pid: 100, source: 'vanished' },
      'headroom.process.exit',
      'INFO',
    ],
    ["a stranger's browser", { pid: 200, signal: 'SIGSEGV' }, null, null],
    [
      'the recorded command',
      { pid: 50, source: 'parent', exitCode: 0 },
      'headroom.process.exit',
      'INFO',
    ],
  ])('%s', (_, exit, name, severity) => {
    const [record = null] = recordsOf(recordingWith([exitOf(exit)])).slice(1, -1);
    expect(record?.name ?? null).toBe(name);
    expect(record?.severity ?? null).toBe(severity);
  });
});

test.each([
  ['from before the recording', fakeOomKill({ pid: 110, comm: 'chromium', beforeStart: true })],
  [
    'of a counter, which is a metric',
    { kind: 'oom_counter', timeUnixMs: startUnixMs, counter: 'cgroup', count: 1 },
  ],
] as [string, RecordingEvent][])('an event %s is passed', (_, event) => {
  const recording = recordingWith([event]);
  expect(recordsOf(recording).map(({ name }) => name)).toEqual(['session.start', 'session.end']);
  const reader = new EventReader(recording, { sequence: 0, isClosed: false });
  expect(reader.next(recording, limits, { ...ended, ended: false })?.sequence).toBe(1);
});

test('a kill of unknown victim and time is told when it was heard of', () => {
  const [, kill] = recordsOf(recordingWith([fakeOomKill({ pid: 9, comm: 'x', timeUnixMs: null })]));
  expect(kill).toMatchObject({
    severity: 'WARN',
    timeUnixMs: startUnixMs,
    observedUnixMs: startUnixMs,
  });
  expect(kill?.attributes).toMatchObject({ 'headroom.oom.victim': 'unknown', 'process.pid': 9 });
});

test('goes on after what was delivered, and the start is told once', () => {
  const recording = recordingWith([limitChange, limitChange, limitChange]);
  const reader = new EventReader(recording, { sequence: 1, isClosed: false });
  const names = allBatches(reader, recording, { items: 1, spanMs: 1 }).map(
    ({ sequence, items }) => [sequence, items.map(({ name }) => name)],
  );
  expect(names).toEqual([
    [2, ['headroom.memory.limit_change']],
    [3, ['headroom.memory.limit_change']],
    [3, ['session.end']],
  ]);
  expect(
    allBatches(new EventReader(recording, { sequence: 3, isClosed: true }), recording),
  ).toEqual([]);
});

test('a session that went on after its end has another end', () => {
  const before = { sequence: 1, isClosed: true };
  const recording = recordingWith([limitChange, limitChange]);
  const [batch] = allBatches(new EventReader(recording, before), recording);
  expect(batch?.items.map(({ name }) => name)).toEqual([
    'headroom.memory.limit_change',
    'session.end',
  ]);
});

test('while it is recorded nothing younger than the horizon is told, and no end', () => {
  const events = [0, 1, 2].map((second) => ({
    ...limitChange,
    timeUnixMs: startUnixMs + second * 1000,
  }));
  const recording = recordingWith(events);
  const reader = new EventReader(recording, null);
  const live = { ended: false, nowUnixMs: hour };
  const first = reader.next(recording, limits, { ...live, toUnixMs: startUnixMs + 1000 });
  expect(first).toMatchObject({ sequence: 2, closesSession: false });
  expect(first?.items).toHaveLength(3);
  expect(reader.next(recording, limits, { ...live, toUnixMs: startUnixMs + 1000 })).toBeNull();
  expect(reader.next(recording, limits, { ...live, toUnixMs: startUnixMs + 5000 })?.sequence).toBe(
    3,
  );
});

test('a recorder that was killed is told so, at the last tick', () => {
  const samples = [0, 1, 2].map((second) => fakeSample({ second }));
  const facts = { endedUnixMs: null, endReason: 'lost' as const };
  expect(recordsOf(fakeRecording({ samples, facts })).at(-1)).toMatchObject({
    name: 'session.end',
    severity: 'WARN',
    timeUnixMs: startUnixMs + 2000,
  });
});

test('of a copy that was made while it was recorded no end is told', () => {
  const facts = { endedUnixMs: null, endReason: 'copied' as const };
  const recording = fakeRecording({ samples: [fakeSample({ second: 0 })], facts });
  expect(recordsOf(recording).map(({ name }) => name)).toEqual(['session.start']);
});

test('an event that is later than the clock here is dropped and counted', () => {
  const recording = recordingWith([{ ...limitChange, timeUnixMs: startUnixMs + 600_000 }]);
  const now = { ended: false, nowUnixMs: startUnixMs };
  const batch = new EventReader(recording, null).next(recording, limits, now);
  expect(batch?.dropped).toEqual({ future: 1 });
  expect(batch?.items.map(({ name }) => name)).toEqual(['session.start']);
});

const limitChange: RecordingEvent = {
  kind: 'limit_change',
  timeUnixMs: startUnixMs,
  fromBytes: 512 * mib,
  toBytes: 256 * mib,
};

/** A browser (100) with a renderer (110), the recorded command (50) and a browser that is nobody's (200). */
function recordingWith(events: readonly RecordingEvent[]): Recording {
  const processes = [
    fakeProcess({ pid: 100, role: 'browser', browserPid: 100 }),
    fakeProcess({ pid: 110, role: 'renderer', browserPid: 100 }),
    fakeProcess({ pid: 50, role: 'other', browserPid: null }),
    fakeProcess({ pid: 200, role: 'browser', browserPid: null }),
  ];
  const samples = [0, 1, 2].map((second) => fakeSample({ second, processes }));
  return fakeRecording({ samples, events });
}

function exitOf(exit: Partial<ProcessExit>): ProcessExit {
  return {
    kind: 'process_exit',
    timeUnixMs: startUnixMs,
    pid: 110,
    startTicks: null,
    role: 'renderer',
    exitCode: null,
    signal: null,
    source: 'connector',
    ...exit,
  };
}

function recordsOf(recording: Recording): EventRecord[] {
  return allBatches(new EventReader(recording, null), recording).flatMap(({ items }) => items);
}

function allBatches(
  reader: EventReader,
  recording: Recording,
  bounds = limits,
): Batch<EventRecord>[] {
  const batches: Batch<EventRecord>[] = [];
  for (;;) {
    const batch = reader.next(recording, bounds, ended);
    if (batch === null) return batches;
    batches.push(batch);
  }
}
