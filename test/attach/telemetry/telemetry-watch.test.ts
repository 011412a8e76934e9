import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { TelemetryWatch } from '../../../src/attach/telemetry/telemetry-watch.ts';
import { HeadroomError } from '../../../src/model/errors.ts';
import type { Note, OomKill, RecordingEvent } from '../../../src/model/event.ts';
import type { LiveOptions, PlatformEvent } from '../../../src/session/platform-events.ts';
import type { Session } from '../../../src/session/session.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { verifyFile } from '../../../src/store/verify/verify-file.ts';
import { fakeOomKill, fakeSample, startUnixMs } from '../../support/fake-sample.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { recordSamples } from '../../support/record-samples.ts';

const folder = temporaryFolder();
const file = folder.file('copy.db');
afterEach(() => rmSync(file, { force: true }));
afterAll(() => folder[Symbol.dispose]());

const at = (second: number) => startUnixMs + second * 1_000;

/** A copy of a recording of two samples, in which the recorder noted this. */
function copyWith(...events: RecordingEvent[]): void {
  rmSync(file, { force: true });
  recordSamples(file, [fakeSample({ second: 0 }), fakeSample({ second: 1 })], { events });
}

function kill(second: number, pid: number): PlatformEvent {
  const data = { process_name: 'chromium', pid, rss_kb: 1_000 + pid, constraint: 'memcg' };
  return { sequence: pid, timeUnixMs: at(second), type: 'system_oom_kill', data };
}

const ownKill = (second: number, pid: number, parts: Partial<OomKill> = {}) =>
  fakeOomKill({ pid, comm: 'chromium', timeUnixMs: at(second), rssBytes: 1, ...parts });

const note = (message: string): Note => {
  return { kind: 'note', timeUnixMs: at(1), code: 'source_unreadable', message };
};

/** A session whose telemetry has this past, and a clock that the test sets. */
function watching(past: () => Iterable<PlatformEvent>) {
  const clock = { ms: 0 };
  const told: string[] = [];
  const platform: Session['platform'] = {
    past: async function* () {
      yield* past();
    },
    live: () => {
      throw new Error('not used here');
    },
  };
  const onTold = (event: RecordingEvent) => told.push(wordsOf(event));
  const watch = new TelemetryWatch({ platform }, { isLive: false, now: () => clock.ms, onTold });
  return { watch, clock, told };
}

/** Row, kind and pid of every event of the copy, which is whole in every byte. */
function eventsOf(): unknown[] {
  expect(verifyFile(file)).toMatchObject({ isWhole: true, checked: 'every_byte' });
  using recording = openRecording(file);
  return recording.storedEvents(0, 100).map(({ row, event }) => {
    return [row, wordsOf(event)];
  });
}

function wordsOf(event: RecordingEvent): string {
  return event.kind === 'note' ? event.message : `${event.kind} ${pidOf(event)}`;
}

const lost =
  "the session's telemetry told more than is taken: what it told after this is not recorded";

function pidOf(event: RecordingEvent): string {
  return event.kind === 'oom_kill' ? `${event.pid} ${event.context}` : '';
}

describe('what telemetry tells is in the recording once', () => {
  test('what both saw is one event, what only telemetry saw is added', async () => {
    copyWith(ownKill(5, 7));
    const crash = { service_name: 'chromium', phase: 'running', pid: 9 };
    const { watch } = watching(() => [
      kill(6, 7),
      kill(30, 9),
      // The server tells it again after it was started again.
      { ...kill(30, 9), sequence: 1, timeUnixMs: at(30.5) },
      { sequence: 2, timeUnixMs: at(31), type: 'service_crashed', data: crash },
      { ...kill(40, 11), type: 'of_tomorrow' },
      // Before the recording.
      kill(-3_600, 12),
    ]);
    await watch.finish(file);
    const once = [
      [1, 'oom_kill 7 full'],
      [2, 'oom_kill 9 telemetry'],
      [3, "the session's telemetry: service chromium crashed (running), pid 9"],
    ];
    expect(eventsOf()).toEqual(once);
    await watch.finish(file);
    await watching(() => [kill(6, 7), kill(30, 9)]).watch.finish(file);
    expect(eventsOf()).toEqual(once);
  });

  test('a kill that a new collector took for older than its recording counts', async () => {
    copyWith(ownKill(30, 9, { beforeStart: true }), ownKill(-90, 3, { beforeStart: true }));
    await watching(() => [kill(30, 9)]).watch.finish(file);
    using recording = openRecording(file);
    expect(recording.events()).toMatchObject([
      { pid: 3, beforeStart: true },
      { pid: 9, beforeStart: false, context: 'full' },
    ]);
    expect(verifyFile(file)).toMatchObject({ isWhole: true, checked: 'every_byte' });
  });

  test('the file that is there stays as it is until one with all of it has its name', async () => {
    copyWith(note('a'));
    const before = readFileSync(file);
    const opened = openSync(file, 'r');
    await watching(() => [kill(1, 7)]).watch.finish(file);
    const after = readFileSync(opened);
    closeSync(opened);
    expect(after.equals(before)).toBe(true);
    expect(eventsOf()).toEqual([
      [1, 'a'],
      [2, 'oom_kill 7 telemetry'],
    ]);
  });

  test('the only copy is completed before it has its name, and nothing waits', async () => {
    copyWith();
    const { watch } = watching(() => [kill(1, 7)]);
    (await watch.beginLastCopy())(file);
    expect(eventsOf()).toEqual([[1, 'oom_kill 7 telemetry']]);
  });

  test('a server that tells without end is listened to so far, and that is told once', async () => {
    copyWith();
    let pid = 0;
    function* endless() {
      for (;;) yield kill(1, ++pid);
    }
    const { watch, told } = watching(endless);
    await watch.finish(file);
    await watch.beginLastCopy();
    expect(pid).toBe(2_049);
    expect(told).toEqual([lost]);
    using recording = openRecording(file);
    const events = recording.storedEvents(0, 3_000).map(({ event }) => event);
    expect(events).toHaveLength(2_049);
    expect(events.at(-1)).toEqual({
      kind: 'note',
      timeUnixMs: at(1),
      code: 'telemetry_lost',
      message: lost,
    });
  });

  test('so is one that has page after page of the past', async () => {
    copyWith();
    function* pages(): Generator<PlatformEvent> {
      yield { ...kill(-60, 11), type: 'of_tomorrow' };
      throw new RangeError('more than 200 pages of events');
    }
    const { watch, told } = watching(pages);
    await watch.finish(file);
    expect(told).toEqual([lost]);
    expect(eventsOf()).toEqual([[1, lost]]);
  });

  test('no telemetry, or none for us, changes no byte', async () => {
    copyWith(note('a'));
    const before = readFileSync(file);
    const refused = new HeadroomError('SESSION_REFUSED', '403');
    await new TelemetryWatch({ platform: null }, { isLive: true }).finish(file);
    await watching(() => []).watch.finish(file);
    const refuse = () => {
      throw refused;
    };
    await watching(refuse).watch.finish(file);
    await watching(() => [kill(1, 1)]).watch.finish(folder.file('none.db'));
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

test('of copy after copy the rows stay, and what the recorder tells late is told once', async () => {
  const past: PlatformEvent[] = [kill(2, 7)];
  const { watch, clock } = watching(() => past);
  const copy = async (...events: RecordingEvent[]) => {
    clock.ms += 15_000;
    const complete = await watch.beginCopy();
    copyWith(...events);
    complete(file);
    return eventsOf();
  };
  // It was heard a moment ago: the recorder may be about to tell it.
  expect(await copy(note('a'))).toEqual([[1, 'a']]);
  expect(await copy(note('a'))).toEqual([
    [1, 'a'],
    [2, 'oom_kill 7 telemetry'],
  ]);
  past.push(kill(40, 8));
  await copy(note('a'), note('b'));
  const third = [
    [1, 'a'],
    [2, 'oom_kill 7 telemetry'],
    [3, 'b'],
  ];
  expect(eventsOf()).toEqual(third);
  expect(await copy(note('a'), note('b'), note('c'))).toEqual([
    ...third,
    [4, 'c'],
    [5, 'oom_kill 8 telemetry'],
  ]);
  // Whoever has read up to 5 goes on behind it, and has read what is before it.
  expect(await copy(note('a'), note('b'), note('c'), ownKill(2, 7), note('d'))).toEqual([
    [1, 'a'],
    [3, 'b'],
    [4, 'c'],
    [5, 'oom_kill 8 telemetry'],
    [6, 'oom_kill 7 full'],
    [7, 'd'],
  ]);
});

// Of a light sampler, whose frames are gone that the copy before was made of.
test('a copy that goes on from the one before has them already', async () => {
  const { watch, clock } = watching(() => [kill(2, 7)]);
  clock.ms += 15_000;
  await watch.beginCopy();
  clock.ms += 15_000;
  copyWith(note('a'));
  (await watch.beginCopy())(file);
  const once = [
    [1, 'a'],
    [2, 'oom_kill 7 telemetry'],
  ];
  expect(eventsOf()).toEqual(once);
  (await watch.beginCopy())(file);
  await watch.finish(file);
  expect(eventsOf()).toEqual(once);
});

describe('the live stream', () => {
  test('goes on behind the last event, with no archive from what is still there', async () => {
    const calls: Omit<LiveOptions, 'signal'>[] = [];
    const told: string[] = [];
    const unreachable = new HeadroomError('SESSION_UNREACHABLE', 'broken off');
    const platform: Session['platform'] = {
      // biome-ignore lint/correctness/useYield: there is nothing
      past: async function* () {
        throw new HeadroomError('SESSION_NOT_FOUND', '404');
      },
      live: async function* ({ signal, ...options }) {
        calls.push(options);
        if (calls.length === 1) {
          yield kill(3, 7);
          throw unreachable;
        }
        if (calls.length === 2) {
          yield kill(3, 7);
          yield kill(4, 8);
          return;
        }
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw unreachable;
      },
    };
    const watch = new TelemetryWatch(
      { platform },
      { isLive: true, wait: async () => null, onTold: (event) => told.push(pidOf(event)) },
    );
    await vi.waitFor(() => expect(calls).toHaveLength(3), { timeout: 60_000 });
    expect(calls).toEqual([
      { afterSequence: null, replays: true },
      { afterSequence: 7, replays: true },
      { afterSequence: 8, replays: true },
    ]);
    expect(told).toEqual(['7 telemetry', '8 telemetry']);
    copyWith();
    await watch.finish(file);
    expect(eventsOf()).toEqual([
      [1, 'oom_kill 7 telemetry'],
      [2, 'oom_kill 8 telemetry'],
    ]);
  });

  test.each(['SESSION_NOT_FOUND', 'SESSION_REFUSED', 'SESSION_CALL_FAILED'] as const)(
    'is not asked for again after %s',
    async (code) => {
      let count = 0;
      const platform: Session['platform'] = {
        past: async function* () {
          yield* [];
        },
        live: () => {
          count++;
          throw new HeadroomError(code, 'none');
        },
      };
      const watch = new TelemetryWatch({ platform }, { isLive: true, wait: async () => null });
      await vi.waitFor(() => expect(count).toBe(1), { timeout: 60_000 });
      await watch.close();
      expect(count).toBe(1);
    },
  );

  test('without an end is left, and that is told', async () => {
    let pid = 0;
    const platform: Session['platform'] = {
      past: async function* () {
        yield* [];
      },
      live: async function* () {
        for (;;) yield kill(1, ++pid);
      },
    };
    const told: string[] = [];
    const onTold = (event: RecordingEvent) => told.push(wordsOf(event));
    const watch = new TelemetryWatch({ platform }, { isLive: true, onTold });
    await vi.waitFor(() => expect(told.at(-1)).toBe(lost), { timeout: 60_000 });
    await watch.close();
    expect(pid).toBe(2_049);
    expect(told).toHaveLength(2_049);
  });
});
