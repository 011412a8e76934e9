import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HeadroomError } from '../../src/model/errors.ts';
import type { Gap, ProcessExit, RecordingEvent } from '../../src/model/event.ts';
import type { Sample } from '../../src/model/sample.ts';
import type { SessionFacts } from '../../src/model/session.ts';
import type { Tick } from '../../src/model/session-memory.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { thisRecorder } from '../../src/store/recorder-lock.ts';
import { StoreWriter, type StoreWriterOptions } from '../../src/store/writer.ts';
import { caseBytes } from '../support/cases.ts';
import {
  fakeFacts,
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';

const running: SessionFacts = fakeFacts({ endedUnixMs: null, endReason: null });
const ended = { endedUnixMs: startUnixMs + 60_000, endReason: 'signal' } as const;

function tickOf({ processes: _, unreadable: __, ...tick }: Sample): Tick {
  return tick;
}

function record(
  file: string,
  samples: Iterable<Sample>,
  options: StoreWriterOptions & { facts?: SessionFacts; events?: readonly RecordingEvent[] } = {},
): void {
  const writer = StoreWriter.open(file, options.facts ?? running, options);
  let events = options.events ?? [];
  for (const sample of samples) {
    expect(writer.writeSample(sample, events)).toEqual({ outcome: 'written' });
    events = [];
  }
  writer.close(ended);
}

describe('what was written', () => {
  test('comes back: every figure of every tick', () => {
    using folder = temporaryFolder();
    const samples = [...syntheticSamples({ tickCount: 130, processCount: 12 })];
    record(folder.file('a.db'), samples, { facts: syntheticFacts() });
    using recording = openRecording(folder.file('a.db'));
    expect([...recording.ticks()]).toEqual(samples.map(tickOf));
    expect(recording.firstTick()?.sequence).toBe(1);
    expect(recording.lastTick()?.sequence).toBe(130);
  });

  test('comes back where the machine told nothing', () => {
    using folder = temporaryFolder();
    const sample = fakeSample({ second: 0 });
    record(folder.file('a.db'), [sample]);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.firstTick()).toEqual(tickOf(sample));
    expect(recording.firstTick()?.cgroup).toBeNull();
  });

  test('comes back when it is larger than 32 bits', () => {
    using folder = temporaryFolder();
    const totalBytes = 24 * 2 ** 40;
    const sample = fakeSample({
      second: 0,
      monotonicMs: 2 ** 40,
      machine: { totalBytes, freeBytes: totalBytes - 2 ** 31 },
      activity: { cpuIdleMs: 2 ** 41, swapOutBytes: 2 ** 45 },
    });
    record(folder.file('a.db'), [sample]);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.firstTick()).toEqual(tickOf(sample));
  });

  test('comes back when what seldom changes does change, and changes back', () => {
    using folder = temporaryFolder();
    const limits = [512, 512, 1024, 512, 512];
    const samples = limits.map((limit, second) =>
      fakeSample({ second, cgroup: { limitBytes: limit * mib, path: '/a' } }),
    );
    record(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    expect([...recording.ticks()].map(({ cgroup }) => cgroup?.limitBytes)).toEqual(
      limits.map((limit) => limit * mib),
    );
  });

  test('has the facts and the end of the session', () => {
    using folder = temporaryFolder();
    const facts = syntheticFacts({ labels: { suite: 'login', "it's": '"quoted"' } });
    record(folder.file('a.db'), [fakeSample({ second: 0 })], { facts });
    using recording = openRecording(folder.file('a.db'));
    expect(recording.facts).toEqual({ ...facts, ...ended });
    expect(recording.isLive).toBe(false);
  });

  test('is one file', () => {
    using folder = temporaryFolder();
    record(folder.file('a.db'), [fakeSample({ second: 0 })]);
    expect(readdirSync(folder.path)).toEqual(['a.db']);
  });

  test('is a recording also when nothing was written', () => {
    using folder = temporaryFolder();
    record(folder.file('a.db'), []);
    using recording = openRecording(folder.file('a.db'));
    expect([recording.tickCount(), recording.firstTick(), recording.series()]).toEqual([
      0,
      null,
      [],
    ]);
    expect(recording.distribution({ scope: 'session', metric: 'working_set' })).toBeNull();
  });

  test('has the events, by time, an unknown time being that of its tick', () => {
    using folder = temporaryFolder();
    const exit: ProcessExit = {
      kind: 'process_exit',
      timeUnixMs: startUnixMs + 2000,
      pid: 100,
      startTicks: 1000,
      role: 'browser',
      exitCode: null,
      signal: 'SIGKILL',
      source: 'parent',
    };
    const kill = fakeOomKill({ pid: 100, comm: 'chromium' });
    const writer = StoreWriter.open(folder.file('a.db'), running);
    const browser = fakeProcess({ pid: 100, role: 'browser' });
    writer.writeSample(fakeSample({ second: 0, processes: [browser] }), []);
    writer.writeSample(fakeSample({ second: 1, processes: [] }), [exit, kill]);
    writer.close(ended);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.events()).toEqual([kill, exit]);
    expect(recording.events({ fromUnixMs: startUnixMs + 1500 })).toEqual([exit]);
    expect(recording.processes()).toMatchObject([{ pid: 100, exitCode: null, signal: 'SIGKILL' }]);
  });
});

describe('processes', () => {
  const renderer = (rssMib: number, cpuMs = 0) =>
    fakeProcess({ pid: 101, role: 'renderer', rssBytes: rssMib * mib, cpuMs });

  test('have a row when something changed, at first and at last sight, and every 60 ticks', () => {
    using folder = temporaryFolder();
    const rss = [50, 50, 50, 60, 60, 60];
    const samples = Array.from({ length: 130 }, (_, second) =>
      fakeSample({
        second,
        processes: second < 125 ? [renderer(rss[second] ?? 60, second === 124 ? 40 : 0)] : [],
      }),
    );
    record(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    const rows = [...recording.processSamples()];
    const seconds = rows.map(({ timeUnixMs }) => (timeUnixMs - startUnixMs) / 1000);
    // The first heartbeat comes early, by the number of the process: 1 + 1 behind the first row.
    expect(seconds).toEqual([0, 2, 3, 63, 123, 124]);
    expect(rows.map(({ rssBytes }) => (rssBytes ?? 0) / mib)).toEqual([50, 50, 60, 60, 60, 60]);
    expect(recording.processes()).toEqual([
      {
        process: 1,
        pid: 101,
        startTicks: 1010,
        parentPid: 1,
        comm: 'chromium',
        executable: 'chromium',
        role: 'renderer',
        browserPid: 100,
        firstUnixMs: startUnixMs,
        lastUnixMs: startUnixMs + 124_000,
        endedUnixMs: startUnixMs + 125_000,
        exitCode: null,
        signal: null,
        peakRssBytes: 60 * mib,
        peakPssBytes: null,
        firstCpuMs: 0,
        lastCpuMs: 40,
      },
    ]);
  });

  test('are told apart by their start when the pid is used again', () => {
    using folder = temporaryFolder();
    const samples = [10, 20].map((startTicks, second) =>
      fakeSample({ second, processes: [{ ...renderer(50), startTicks }] }),
    );
    record(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    expect(
      recording.processes().map(({ startTicks, endedUnixMs }) => [startTicks, endedUnixMs]),
    ).toEqual([
      [10, startUnixMs + 1000],
      [20, null],
    ]);
  });

  test('have their latest role', () => {
    using folder = temporaryFolder();
    const roles = ['zygote', 'zygote', 'renderer'] as const;
    const samples = roles.map((role, second) =>
      fakeSample({ second, processes: [fakeProcess({ pid: 7, role, comm: 'chromium' })] }),
    );
    record(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.processes().map(({ role }) => role)).toEqual(['renderer']);
  });

  test('may be none, or two thousand', () => {
    using folder = temporaryFolder();
    const many = Array.from({ length: 2000 }, (_, at) =>
      fakeProcess({ pid: 100 + at, role: 'other', rssBytes: at * 4096 }),
    );
    record(folder.file('a.db'), [
      fakeSample({ second: 0, processes: [] }),
      fakeSample({ second: 1, processes: many }),
      fakeSample({ second: 2, processes: [] }),
    ]);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.processes()).toHaveLength(2000);
    expect([...recording.processSamples()]).toHaveLength(2000);
  });
});

describe('a file that is there already', () => {
  function refusal(file: string, options: StoreWriterOptions = {}, facts = running): HeadroomError {
    try {
      StoreWriter.open(file, facts, options);
    } catch (error) {
      if (error instanceof HeadroomError) return error;
      throw error;
    }
    throw new Error('it was opened');
  }

  test.each([
    ['text', Buffer.from('hello, this is my diary\n')],
    ['HTML (case 092)', caseBytes('092-sqlite-not-a-database/html.db')],
    ['another database (case 086)', caseBytes('086-sqlite-copied-without-wal/pulled.db')],
  ])('is not overwritten: %s', (_, bytes) => {
    using folder = temporaryFolder();
    writeFileSync(folder.file('a.db'), bytes);
    expect(refusal(folder.file('a.db'))).toMatchObject({ code: 'FILE_EXISTS' });
    expect(readFileSync(folder.file('a.db'))).toEqual(bytes);
    expect(readdirSync(folder.path)).toEqual(['a.db']);
  });

  test('is not overwritten: the recording of another session', () => {
    using folder = temporaryFolder();
    record(folder.file('a.db'), [fakeSample({ second: 0 })]);
    const before = readFileSync(folder.file('a.db'));
    const other = refusal(folder.file('a.db'), {}, { ...running, id: 'another' });
    expect(other).toMatchObject({ code: 'FILE_EXISTS' });
    expect(other.message).toContain(running.id);
    expect(readFileSync(folder.file('a.db'))).toEqual(before);
  });

  test('is used when it is empty', () => {
    using folder = temporaryFolder();
    writeFileSync(folder.file('a.db'), '');
    record(folder.file('a.db'), [fakeSample({ second: 0 })]);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.tickCount()).toBe(1);
  });

  test('is refused when a newer version wrote it', () => {
    using folder = temporaryFolder();
    record(folder.file('a.db'), []);
    const db = openDatabase(folder.file('a.db'), { mode: 'write', busyTimeoutMs: 0 });
    db.pragma('user_version = 2');
    db.close();
    expect(refusal(folder.file('a.db'))).toMatchObject({ code: 'FILE_TOO_NEW' });
  });

  test('is refused when it is damaged', () => {
    using folder = temporaryFolder();
    const bytes = caseBytes('092-sqlite-not-a-database/header.db');
    writeFileSync(folder.file('a.db'), bytes);
    expect(refusal(folder.file('a.db'))).toMatchObject({ code: 'FILE_CORRUPT' });
  });

  test.each([
    ['no/such/folder/a.db', 'the folder does not exist'],
    ['.', 'is a folder'],
  ])('or cannot be there is said so: %s', (name, what) => {
    using folder = temporaryFolder();
    const error = refusal(folder.file(name));
    expect(error).toMatchObject({ code: 'FILE_NOT_WRITABLE' });
    expect(error.message).toContain(what);
  });

  test('is refused while another recorder writes it (case 094)', () => {
    using folder = temporaryFolder();
    const writer = StoreWriter.open(folder.file('a.db'), running);
    const error = refusal(folder.file('a.db'));
    expect(error).toMatchObject({ code: 'FILE_IN_USE' });
    expect(error.message).toContain(`process ${process.pid} `);
    expect(refusal(folder.file('a.db'), { resume: true })).toMatchObject({ code: 'FILE_IN_USE' });
    expect(writer.writeSample(fakeSample({ second: 0 }), [])).toEqual({ outcome: 'written' });
    writer.close(ended);
  });

  test.each([
    ['a pid that is gone', { pid: 2 ** 22 + 1 }],
    ['a pid that another program has now', { startTicks: 1 }],
    ['another boot', { bootId: '00000000-0000-4000-8000-000000000000' }],
  ])('is taken over from a recorder that is dead: %s', (_, identity) => {
    using folder = temporaryFolder();
    const recorder = { ...thisRecorder(), ...identity };
    const killed = StoreWriter.open(folder.file('a.db'), running, { recorder });
    killed.writeSample(fakeSample({ second: 0 }), []);
    const next = StoreWriter.open(folder.file('a.db'), running);
    next.writeSample(fakeSample({ second: 1, sequence: 1 }), []);
    next.close(ended);
    using recording = openRecording(folder.file('a.db'));
    expect([...recording.ticks()].map(({ sequence }) => sequence)).toEqual([1, 2]);
  });
});

describe('a recording that goes on', () => {
  const restart = (fromSecond: number, toSecond: number): Gap => ({
    kind: 'gap',
    gap: 'restart',
    fromUnixMs: startUnixMs + fromSecond * 1000,
    toUnixMs: startUnixMs + toSecond * 1000,
    timeUnixMs: startUnixMs + toSecond * 1000,
    wallMs: (toSecond - fromSecond) * 1000,
    monotonicMs: (toSecond - fromSecond) * 1000,
  });

  test('has one row of numbers, the gap between the runs, and every minute once', () => {
    using folder = temporaryFolder();
    const seconds = [0, 1, 2, 3, 10, 11, 70];
    const sampleAt = (second: number, at: number) =>
      fakeSample({
        second,
        sequence: (at % 4) + 1,
        browser: { pssEstimatedBytes: (at + 1) * mib },
        processes: [
          fakeProcess({ pid: 100, role: 'browser', pssBytes: (at + 1) * mib, anonBytes: 0 }),
        ],
      });
    const samples = seconds.map(sampleAt);
    record(folder.file('a.db'), samples.slice(0, 4));
    record(folder.file('a.db'), samples.slice(4));
    using recording = openRecording(folder.file('a.db'));
    expect([...recording.ticks()].map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(recording.events()).toEqual([restart(3, 10)]);
    expect(recording.processes()).toHaveLength(1);
    for (const scope of ['session', 'browser'] as const) {
      const metric = scope === 'session' ? 'browser_pss' : 'pss';
      const sketch = recording.distribution({ scope, metric });
      expect([sketch?.count, sketch?.min, sketch?.max]).toEqual([7000, mib, 7 * mib]);
      expect(sketch?.sum).toBe((1 + 2 + 3 + 4 + 5 + 6 + 7) * mib * 1000);
    }
  });

  test('after a kill counts the ticks of the minute that was open', () => {
    using folder = temporaryFolder();
    const recorder = { ...thisRecorder(), pid: 2 ** 22 + 1 };
    const process = (pss: number) =>
      fakeProcess({ pid: 100, role: 'browser', pssBytes: pss * mib, anonBytes: pss * mib });
    const first = StoreWriter.open(folder.file('a.db'), running, { recorder });
    for (const second of [0, 1, 2]) {
      first.writeSample(fakeSample({ second, processes: [process(10)] }), []);
    }
    const samples = [3, 4, 61].map((second, at) =>
      fakeSample({ second, sequence: at + 1, processes: [process(20)] }),
    );
    record(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    const minute = { fromUnixMs: startUnixMs, toUnixMs: startUnixMs + 59_999 };
    const sketch = recording.distribution({ scope: 'browser', metric: 'pss' }, minute);
    expect([sketch?.count, sketch?.sum]).toEqual([5000, (3 * 10 + 2 * 20) * mib * 1000]);
  });

  test('after a reboot knows that nothing of before is there any more', () => {
    using folder = temporaryFolder();
    const samples = [0, 1].map((second) =>
      fakeSample({ second, processes: [fakeProcess({ pid: 100, role: 'browser' })] }),
    );
    record(folder.file('a.db'), samples);
    const machine = { ...running.machine, bootId: 'b0000000-0000-4000-8000-000000000002' };
    const again = fakeSample({
      second: 100,
      sequence: 1,
      monotonicMs: 20,
      processes: [fakeProcess({ pid: 100, role: 'browser' })],
    });
    record(folder.file('a.db'), [again], { facts: { ...running, machine } });
    using recording = openRecording(folder.file('a.db'));
    expect(
      recording.processes().map(({ lastUnixMs, endedUnixMs }) => [lastUnixMs, endedUnixMs]),
    ).toEqual([
      [startUnixMs + 1000, null],
      [startUnixMs + 100_000, null],
    ]);
    expect(recording.facts.machine.bootId).toBe(machine.bootId);
    expect(recording.events()).toMatchObject([{ kind: 'gap', gap: 'restart' }]);
  });

  test('of another session keeps its identity and its start', () => {
    using folder = temporaryFolder();
    record(folder.file('a.db'), [fakeSample({ second: 0 })]);
    const facts = { ...running, id: 'another', startedUnixMs: startUnixMs + 30_000 };
    record(folder.file('a.db'), [fakeSample({ second: 30, sequence: 1 })], { facts, resume: true });
    using recording = openRecording(folder.file('a.db'));
    expect(recording.facts).toMatchObject({ id: running.id, startedUnixMs: startUnixMs });
    expect(recording.tickCount()).toBe(2);
  });
});

test('the same tick twice is written once (case 094)', () => {
  using folder = temporaryFolder();
  const writer = StoreWriter.open(folder.file('a.db'), running);
  const sample = fakeSample({ second: 0 });
  expect(writer.writeSample(sample, [])).toEqual({ outcome: 'written' });
  expect(writer.writeSample(sample, [])).toEqual({ outcome: 'duplicate' });
  writer.close(ended);
  using recording = openRecording(folder.file('a.db'));
  expect(recording.tickCount()).toBe(1);
});

test('the clock going back to a minute that is closed adds to that minute', () => {
  using folder = temporaryFolder();
  const times = [0, 1, 60, 61, 2, 3, 62];
  const samples = times.map((second, at) =>
    fakeSample({
      second: at,
      timeUnixMs: startUnixMs + second * 1000,
      browser: { pssEstimatedBytes: (at + 1) * mib },
    }),
  );
  record(folder.file('a.db'), samples);
  using recording = openRecording(folder.file('a.db'));
  const series = { scope: 'session', metric: 'browser_pss' } as const;
  expect(recording.distribution(series)?.sum).toBe(28 * mib * 1000);
  const minute = { fromUnixMs: startUnixMs, toUnixMs: startUnixMs + 59_999 };
  expect(recording.distribution(series, minute)?.sum).toBe((1 + 2 + 5 + 6) * mib * 1000);
  expect([...recording.ticks(minute)].map(({ sequence }) => sequence)).toEqual([1, 2, 5, 6]);
  expect(recording.tickCount(minute)).toBe(4);
});

test('a sample that no file would take is an error and not in the way of the next one', () => {
  using folder = temporaryFolder();
  const writer = StoreWriter.open(folder.file('a.db'), running);
  const state = undefined as unknown as string;
  const broken = fakeProcess({ pid: 100, role: 'browser', state });
  expect(() => writer.writeSample(fakeSample({ second: 0, processes: [broken] }), [])).toThrow(
    expect.objectContaining({ code: 'INTERNAL' }),
  );
  expect(writer.writeSample(fakeSample({ second: 1 }), [])).toEqual({ outcome: 'written' });
  writer.close(ended);
});
