import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  exportRecording,
  type FollowOptions,
  followRecording,
} from '../../src/exporter/export-loop.ts';
import type { ExportEvent, ExportOptions } from '../../src/exporter/export-options.ts';
import type { SendResult } from '../../src/exporter/otlp/response.ts';
import { HeadroomError } from '../../src/model/errors.ts';
import type { Recording } from '../../src/model/recording.ts';
import {
  jsonTarget,
  MemoryCursors,
  soonAfter,
  tenPointRecording,
  warningsOf,
} from '../support/export-fakes.ts';
import { FakeReceiver } from '../support/fake-receiver.ts';
import { startUnixMs } from '../support/fake-sample.ts';

const target = jsonTarget('http://collector:4318', { warnings: ['a setting was ignored'] });

test('sends all there is, and says how it goes', async () => {
  const receiver = new FakeReceiver();
  const events: ExportEvent[] = [];
  const result = await run(tenPointRecording(100), {
    limits: { items: 200 },
    onEvent: (event) => events.push(event),
    runtime: { send: receiver.send },
  });
  expect(result).toEqual({
    sent: 1000,
    rejected: 0,
    dropped: {},
    retries: 0,
    left: 0,
    alreadyDelivered: 0,
    problem: null,
    logs: null,
  });
  expect(receiver.values.size).toBe(1000);
  expect(events[0]).toEqual({ kind: 'warning', message: 'a setting was ignored' });
  expect(events.at(-1)).toMatchObject({ kind: 'progress', timeUnixMs: startUnixMs + 99_000 });
});

test('goes on where it stopped, also when it was closed before', async () => {
  const cursors = new MemoryCursors();
  const first = new FakeReceiver();
  await run(tenPointRecording(5, { isLive: true }), { runtime: { cursors, send: first.send } });
  const second = new FakeReceiver();
  const result = await run(tenPointRecording(8), { runtime: { cursors, send: second.send } });
  expect(result.sent).toBe(30);
  expect(second.timesUnixMs()).toEqual([5, 6, 7].map((second) => startUnixMs + second * 1000));
  const third = new FakeReceiver();
  const nothing = await run(tenPointRecording(8), { runtime: { cursors, send: third.send } });
  expect(nothing).toMatchObject({ sent: 0, left: 0, alreadyDelivered: 80, problem: null });
  expect(third.requests).toBe(0);
});

test('sends all of it again when that is asked for, and counts from zero', async () => {
  const cursors = new MemoryCursors();
  const send = new FakeReceiver().send;
  await run(tenPointRecording(8), { runtime: { cursors, send } });
  const again = new FakeReceiver();
  const options = { runtime: { cursors, send: again.send }, limits: { items: 30 } };
  const result = await run(tenPointRecording(8), { ...options, resend: true });
  expect(result).toMatchObject({ sent: 80, left: 0, alreadyDelivered: 0, problem: null });
  expect(again.values.size).toBe(80);
  expect([...cursors.cursors.values()]).toMatchObject([{ sequence: 8, sentCount: 80 }]);
});

test('a file that cannot be written is exported all the same, and the warning says what that means', async () => {
  const cursors = new MemoryCursors();
  cursors.advanceCursor = () => {
    throw new HeadroomError('FILE_NOT_WRITABLE', 'fake.db cannot be written');
  };
  const events: ExportEvent[] = [];
  const onEvent = (event: ExportEvent) => events.push(event);
  const send = new FakeReceiver().send;
  const result = await run(tenPointRecording(30), {
    limits: { items: 100 },
    onEvent,
    runtime: { cursors, send },
  });
  expect(result).toMatchObject({ sent: 300, problem: null });
  expect(warningsOf(events).filter((text) => text.includes('cannot be resumed'))).toHaveLength(1);
});

test('a receiver that is away beyond the deadline leaves what it has not got', async () => {
  const receiver = new FakeReceiver();
  const world = new VirtualTime();
  const result = await world.run(
    run(tenPointRecording(60), {
      limits: { items: 200 },
      deadlineMs: 90_000,
      runtime: {
        ...world.runtime,
        send: async (body) =>
          receiver.requests < 2
            ? receiver.take(body)
            : { kind: 'retry', afterMs: null, reason: 'ECONNREFUSED' },
      },
    }),
  );
  expect(result.sent + result.left).toBe(600);
  expect(result.sent).toBe(receiver.values.size);
  expect(result.problem?.message).toContain('time is over (ECONNREFUSED)');
  expect(world.nowMs).toBe(90_000);
});

test('without a deadline it waits for as long as it takes', async () => {
  const receiver = new FakeReceiver();
  const world = new VirtualTime();
  const result = await world.run(
    run(tenPointRecording(5), {
      runtime: {
        ...world.runtime,
        send: async (body) =>
          world.nowMs < 86_400_000
            ? { kind: 'retry', afterMs: null, reason: 'ECONNREFUSED' }
            : receiver.take(body),
      },
    }),
  );
  expect(result).toMatchObject({ sent: 50, left: 0, problem: null });
  expect(result.retries).toBeGreaterThan(1440);
});

test('what is left of a long recording is told without reading it all', async () => {
  const result = await run(tenPointRecording(12_000), {
    runtime: {
      now: () => soonAfter(12_000),
      send: async () => ({ kind: 'misconfigured', message: 'answers 404', hint: 'Check it.' }),
    },
  });
  expect(result.left).toBe(120_000);
});

describe('following a recording', () => {
  test('stays behind the recorder, and sends the rest and the end when it has ended', async () => {
    const file = new GrowingFile(30);
    const receiver = new FakeReceiver();
    const world = new VirtualTime((nowMs) => file.growTo(nowMs));
    const seen: { atMs: number; lastUnixMs: number | undefined }[] = [];
    const result = await world.run(
      follow(file, {
        runtime: {
          ...world.runtime,
          send: async (body) => {
            const taken = receiver.take(body);
            seen.push({ atMs: world.nowMs, lastUnixMs: receiver.timesUnixMs().at(-1) });
            return taken;
          },
        },
      }),
    );
    expect(result).toMatchObject({ sent: 300, left: 0, problem: null });
    expect(receiver.timesUnixMs()).toHaveLength(30);
    for (const { atMs, lastUnixMs = 0 } of seen) {
      if (atMs < 30_000) expect(lastUnixMs - startUnixMs).toBeLessThanOrEqual(atMs - 5_000);
    }
    expect(seen.length).toBeGreaterThan(3);
    expect(world.nowMs).toBeLessThanOrEqual(35_000);
  });

  test('of one that has ended before is the same as exporting it', async () => {
    const receiver = new FakeReceiver();
    const file = new GrowingFile(10);
    file.growTo(60_000);
    const world = new VirtualTime();
    const result = await world.run(
      follow(file, { runtime: { ...world.runtime, send: receiver.send } }),
    );
    expect(result).toMatchObject({ sent: 100, left: 0 });
    expect(world.nowMs).toBe(0);
  });

  test('tries wrong settings again while the recorder runs', async () => {
    const file = new GrowingFile(200);
    const receiver = new FakeReceiver();
    const events: ExportEvent[] = [];
    const world = new VirtualTime((nowMs) => file.growTo(nowMs));
    const result = await world.run(
      follow(file, {
        onEvent: (event) => events.push(event),
        runtime: {
          ...world.runtime,
          send: async (body) =>
            world.nowMs < 100_000
              ? { kind: 'misconfigured', message: 'answers 404', hint: 'Check it.' }
              : receiver.take(body),
        },
      }),
    );
    expect(result).toMatchObject({ sent: 2000, left: 0, problem: null });
    expect(warningsOf(events).filter((text) => text.includes('answers 404'))).toHaveLength(1);
  });

  test('a receiver that is away does not keep it from seeing the end', async () => {
    const file = new GrowingFile(40);
    const world = new VirtualTime((nowMs) => file.growTo(nowMs));
    const result = await world.run(
      follow(file, {
        deadlineMs: 10_000,
        runtime: {
          ...world.runtime,
          send: async () => ({ kind: 'retry', afterMs: null, reason: 'ECONNREFUSED' }),
        },
      }),
    );
    expect(result).toMatchObject({ sent: 0, left: 400 });
    expect(world.nowMs).toBeLessThanOrEqual(40_000 + 5_000 + 10_000);
  });

  test('asked to stop, it sends what is recorded by now and does not close the session', async () => {
    const file = new GrowingFile(1000);
    const stop = new AbortController();
    const cursors = new MemoryCursors();
    const receiver = new FakeReceiver();
    const world = new VirtualTime((nowMs) => {
      file.growTo(nowMs);
      if (nowMs >= 20_000) stop.abort();
    });
    const result = await world.run(
      follow(file, {
        stop: stop.signal,
        runtime: { ...world.runtime, cursors, send: receiver.send },
      }),
    );
    expect(result).toMatchObject({ left: 0, problem: null });
    expect(receiver.timesUnixMs()).toHaveLength(file.length);
    expect([...cursors.cursors.values()][0]?.detail).toContain('"closed":false');
  });
});

test('a file that is gone ends the following with its error', async () => {
  const file = new GrowingFile(1000);
  const world = new VirtualTime((nowMs) => file.growTo(nowMs));
  const work = follow(file, {
    runtime: {
      ...world.runtime,
      send: new FakeReceiver().send,
      open: () => {
        if (world.nowMs > 20_000) throw new HeadroomError('FILE_NOT_FOUND', 'fake.db is gone');
        return file.open();
      },
    },
  });
  await expect(world.run(work)).rejects.toThrow('fake.db is gone');
});

test('under random faults and kills every point arrives with one value at its own time, or is counted', async () => {
  const fault = fc.constantFrom(
    'sent',
    'lost reply',
    'reset',
    '503',
    '429',
    '413',
    '500',
    'kill',
    'kill after',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fault, { maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      async (faults, ticks) => {
        const receiver = new FakeReceiver();
        const cursors = new MemoryCursors();
        const script = faults.values();
        let droppedCount = 0;
        const send = async (body: Uint8Array): Promise<SendResult> => {
          const next = script.next().value ?? 'sent';
          if (next === 'kill') throw new Killed();
          if (['sent', 'lost reply', 'kill after'].includes(next)) receiver.take(body);
          if (next === 'kill after') throw new Killed();
          return answers[next] ?? { kind: 'sent' };
        };
        for (let done = false; !done; ) {
          try {
            const { left, dropped } = await run(tenPointRecording(ticks), {
              limits: { items: 70 },
              runtime: { cursors, send },
            });
            // A receiver that fails for long leaves points; the next export takes them.
            droppedCount += Object.values(dropped).reduce((sum, count) => sum + count, 0);
            done = left === 0;
          } catch (error) {
            if (!(error instanceof Killed)) throw error;
          }
        }
        // A point that is refused alone, again and again, is given up.
        expect(receiver.values.size + droppedCount).toBeGreaterThanOrEqual(ticks * 10);
        for (const values of receiver.values.values()) expect(values.size).toBe(1);
        const [cursor] = cursors.cursors.values();
        expect(cursor).toMatchObject({ sequence: ticks, droppedCount });
      },
    ),
    { numRuns: 60 },
  );
});

const answers: Record<string, SendResult> = {
  'lost reply': { kind: 'retry', afterMs: null, reason: 'ECONNRESET' },
  reset: { kind: 'retry', afterMs: null, reason: 'ECONNRESET' },
  '503': { kind: 'retry', afterMs: null, reason: 'status 503' },
  '429': { kind: 'retry', afterMs: 1000, reason: 'status 429' },
  '413': { kind: 'rejected', status: 413, message: '' },
  '500': { kind: 'rejected', status: 500, message: 'boom' },
};

class Killed extends Error {}

/** A recording of one tick a second that ends after so many. */
class GrowingFile {
  readonly #seconds: number;
  length = 1;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  growTo(nowMs: number): void {
    this.length = Math.min(this.#seconds, 1 + Math.floor(nowMs / 1000));
  }

  open = (): Recording => tenPointRecording(this.length, { isLive: this.length < this.#seconds });
}

/** Time that passes only while everything waits for it. */
class VirtualTime {
  readonly #onTime: (nowMs: number) => void;
  #sleepers: { untilMs: number; wake: () => void }[] = [];
  nowMs = 0;

  constructor(onTime: (nowMs: number) => void = () => undefined) {
    this.#onTime = onTime;
  }

  runtime = {
    now: () => startUnixMs + this.nowMs,
    sleep: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) return resolve();
        const wake = () => {
          signal.removeEventListener('abort', wake);
          this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.wake !== wake);
          resolve();
        };
        this.#sleepers.push({ untilMs: this.nowMs + ms, wake });
        signal.addEventListener('abort', wake);
      }),
  };

  async run<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    finished.catch(() => undefined);
    for (;;) {
      // Everything that does not wait for time is done by then.
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      if (done) return await finished;
      const [next] = this.#sleepers.sort((a, b) => a.untilMs - b.untilMs);
      if (next === undefined) continue;
      this.nowMs = Math.max(this.nowMs, next.untilMs);
      this.#onTime(this.nowMs);
      next.wake();
    }
  }
}

function run(recording: Recording, options: Partial<ExportOptions>) {
  return exportRecording(
    'fake.db',
    withDefaults(options, () => recording),
  );
}

function follow(file: GrowingFile, options: Partial<FollowOptions>) {
  return followRecording('fake.db', withDefaults(options, file.open));
}

function withDefaults(options: Partial<ExportOptions>, open: () => Recording): ExportOptions {
  const never = async () => undefined;
  return {
    target,
    ...options,
    runtime: {
      open,
      cursors: new MemoryCursors(),
      now: () => soonAfter(100),
      sleep: never,
      random: () => 0.5,
      ...options.runtime,
    },
  };
}
