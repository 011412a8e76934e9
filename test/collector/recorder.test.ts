import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type EventMoment,
  type EventSource,
  type Pace,
  Recorder,
  type RecorderOptions,
  timerSleep,
} from '../../src/collector/recorder.ts';
import type { Schedule } from '../../src/collector/sampler.ts';
import type { Note, RecordingEvent } from '../../src/model/event.ts';
import type { Sample } from '../../src/model/sample.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeOomKill, fakeSample } from '../support/fake-sample.ts';

interface Tick {
  /** When it began, ms after the start. */
  atMs: number;
  /** How much later than it was due. */
  latenessMs: number;
  schedule: Schedule;
}

/** The same interval always, and never a look in between. */
const steady: Pace = {
  next: () => ({ intervalMs: 1_000, notes: [] }),
  peekEveryMs: () => null,
  isUrgent: () => false,
};

const silent: EventSource = { read: () => [], finish: () => [] };

/** A recorder in virtual time. */
class Rig {
  readonly clock = new FakeClock();
  readonly ticks: Tick[] = [];
  readonly written: { sample: Sample; events: readonly RecordingEvent[] }[] = [];
  readonly sleeps: number[] = [];
  /** What a tick takes, by its place in the row; 5 ms for all others. */
  tookMs: Readonly<Record<number, number>> = {};
  /** How much longer than asked for a sleep is. */
  oversleepMs = 0;
  onTick: (tick: number) => void | Promise<void> = () => undefined;
  onSleep: (sleep: number) => void = () => undefined;
  readonly recorder: Recorder;
  readonly #startMs = this.clock.monotonic;

  constructor(options: Partial<RecorderOptions> = {}) {
    this.recorder = new Recorder({
      take: async (schedule) => {
        const index = this.ticks.length;
        this.ticks.push({
          atMs: this.clock.monotonic - this.#startMs,
          latenessMs: this.clock.monotonic - schedule.dueMonotonicMs,
          schedule,
        });
        const sample = fakeSample({
          second: index,
          timeUnixMs: this.clock.wall,
          monotonicMs: this.clock.monotonic,
          sequence: schedule.sequence,
        });
        this.clock.advance(this.tookMs[index] ?? 5);
        await this.onTick(index);
        return { sample, ended: [] };
      },
      sources: [],
      pace: steady,
      clock: this.clock,
      intervalMs: 1_000,
      durationMs: null,
      firstSequence: 1,
      write: (sample, events) => this.written.push({ sample, events }),
      sleep: async (ms, signal) => {
        this.sleeps.push(ms);
        this.onSleep(this.sleeps.length);
        if (!signal.aborted) this.clock.advance(ms + this.oversleepMs);
      },
      ...options,
    });
  }

  get beginnings(): number[] {
    return this.ticks.map(({ atMs }) => atMs);
  }
}

describe('schedule', () => {
  test('does not drift, whatever ticks and timers take', async () => {
    const rig = new Rig({ durationMs: 1_000_000 });
    rig.oversleepMs = 3;
    expect(await rig.recorder.run()).toBe('duration');
    expect(rig.beginnings).toEqual([
      0,
      ...Array.from({ length: 1_000 }, (_, i) => i * 1_000 + 1_003),
    ]);
    expect(rig.ticks.at(-1)).toMatchObject({
      latenessMs: 3,
      schedule: { sequence: 1_001, intervalMs: 1_000, missedTickCount: 0 },
    });
  });

  test('a late tick moves none of the following', async () => {
    const rig = new Rig({ durationMs: 4_000 });
    rig.onSleep = (sleep) => {
      rig.oversleepMs = sleep === 2 ? 400 : 0;
    };
    await rig.recorder.run();
    expect(rig.beginnings).toEqual([0, 1_000, 2_400, 3_000, 4_000]);
    expect(rig.ticks.map(({ latenessMs }) => latenessMs)).toEqual([0, 0, 400, 0, 0]);
  });

  test('case 063: ticks that were missed are counted, and not caught up', async () => {
    const rig = new Rig({ durationMs: 8_000 });
    rig.tookMs = { 2: 3_400 };
    await rig.recorder.run();
    expect(rig.beginnings).toEqual([0, 1_000, 2_000, 6_000, 7_000, 8_000]);
    expect(rig.ticks.map(({ schedule }) => schedule.missedTickCount)).toEqual([0, 0, 0, 3, 3, 3]);
    expect(rig.ticks.map(({ schedule }) => schedule.sequence)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('a tick that takes exactly one interval misses none', async () => {
    const rig = new Rig({ durationMs: 2_000 });
    rig.tookMs = { 0: 1_000 };
    await rig.recorder.run();
    expect(rig.beginnings).toEqual([0, 1_000, 2_000]);
    expect(rig.ticks.at(-1)?.schedule.missedTickCount).toBe(0);
  });

  test('a timer that fires early gives no second tick', async () => {
    const rig = new Rig({ durationMs: 3_000 });
    rig.oversleepMs = -0.6;
    rig.tookMs = { 0: 0.1, 1: 0.1, 2: 0.1, 3: 0.1 };
    await rig.recorder.run();
    expect(rig.ticks).toHaveLength(4);
    expect(rig.ticks.map(({ latenessMs }) => Math.round(latenessMs))).toEqual([0, -1, -1, -1]);
  });

  test('a tick waits for the one before: they never overlap', async () => {
    let running = 0;
    let most = 0;
    const rig = new Rig({ durationMs: 3_000 });
    rig.onTick = async () => {
      running++;
      most = Math.max(most, running);
      await Promise.resolve();
      running--;
    };
    await rig.recorder.run();
    expect(most).toBe(1);
  });

  test('a file that is continued goes on counting', async () => {
    const rig = new Rig({ durationMs: 1_000, firstSequence: 71 });
    await rig.recorder.run();
    expect(rig.written.map(({ sample }) => sample.sequence)).toEqual([71, 72]);
  });
});

describe('duration', () => {
  test.each([
    ['a multiple of the interval', 3_000, [0, 1_000, 2_000, 3_000]],
    ['no multiple: the last tick is at its end', 2_500, [0, 1_000, 2_000, 2_500]],
    ['shorter than the interval', 400, [0, 400]],
  ])('%s', async (_, durationMs, beginnings) => {
    const rig = new Rig({ durationMs });
    expect(await rig.recorder.run()).toBe('duration');
    expect(rig.beginnings).toEqual(beginnings);
  });

  test('over while a tick was running: one last tick, late, and only its own ticks were missed', async () => {
    const rig = new Rig({ durationMs: 2_500 });
    rig.tookMs = { 0: 10_000 };
    expect(await rig.recorder.run()).toBe('duration');
    expect(rig.beginnings).toEqual([0, 10_000]);
    // Of the ticks at 1 s and at 2 s, and 7.5 s after the planned end.
    expect(rig.ticks[1]).toMatchObject({ latenessMs: 7_500, schedule: { missedTickCount: 2 } });
  });
});

describe('stop', () => {
  test('in a sleep: one last tick at once, and the reason', async () => {
    const rig = new Rig();
    rig.onSleep = (sleep) => {
      if (sleep === 3) rig.recorder.stop('command_exited');
    };
    expect(await rig.recorder.run()).toBe('command_exited');
    expect(rig.beginnings).toEqual([0, 1_000, 2_000, 2_005]);
    expect(rig.ticks.at(-1)?.latenessMs).toBe(0);
  });

  test('in a tick', async () => {
    const rig = new Rig();
    rig.onTick = (tick) => {
      if (tick === 1) rig.recorder.stop('signal');
    };
    expect(await rig.recorder.run()).toBe('signal');
    expect(rig.beginnings).toEqual([0, 1_000, 1_005]);
  });

  test('before it runs', async () => {
    const rig = new Rig();
    rig.recorder.stop('deleted');
    expect(await rig.recorder.run()).toBe('deleted');
    expect(rig.beginnings).toEqual([0, 5]);
  });

  test('the first reason counts', async () => {
    const rig = new Rig();
    rig.onSleep = () => {
      rig.recorder.stop('signal');
      rig.recorder.stop('command_exited');
    };
    expect(await rig.recorder.run()).toBe('signal');
    expect(rig.ticks).toHaveLength(2);
  });
});

describe('failures', () => {
  test('of a reading end the recording and are told to the caller', async () => {
    const rig = new Rig();
    rig.onTick = (tick) => {
      if (tick === 2) throw new RangeError('broken');
    };
    await expect(rig.recorder.run()).rejects.toThrow(new RangeError('broken'));
    expect(rig.written).toHaveLength(2);
  });

  test('so do those of the store and of a source', async () => {
    const fail = () => {
      throw new RangeError('broken');
    };
    await expect(new Rig({ write: fail }).recorder.run()).rejects.toThrow('broken');
    const sources = [{ ...silent, read: fail }];
    await expect(new Rig({ sources }).recorder.run()).rejects.toThrow('broken');
  });
});

describe('events', () => {
  const kill = fakeOomKill({ pid: 7, comm: 'chromium' });
  const note: Note = { kind: 'note', timeUnixMs: 0, code: 'kmsg_overrun', message: 'lost 3' };
  const faster: Note = { kind: 'note', timeUnixMs: 0, code: 'cadence_changed', message: 'faster' };
  const exit: RecordingEvent = {
    kind: 'process_exit',
    timeUnixMs: 0,
    pid: 9,
    startTicks: 90,
    role: 'other',
    exitCode: 3,
    signal: null,
    source: 'parent',
  };

  test('changes, the sources’, the pace’s, then our own, each with one sample only', async () => {
    const once = (event: RecordingEvent): EventSource => ({
      ...silent,
      read: ({ sample }) => (sample.sequence === 2 ? [event] : []),
    });
    const pace: Pace = {
      ...steady,
      next: ({ sequence }) => ({ intervalMs: 1_000, notes: sequence === 2 ? [faster] : [] }),
    };
    const rig = new Rig({ durationMs: 5_000, sources: [once(kill), once(note)], pace });
    rig.onSleep = (sleep) => {
      if (sleep === 1) rig.clock.advance(2_600);
    };
    rig.onTick = (tick) => {
      if (tick === 1) rig.recorder.note(exit);
    };
    await rig.recorder.run();
    const stall = expect.objectContaining({ kind: 'gap', gap: 'stall' });
    expect(rig.written.map(({ events }) => events)).toEqual([
      [],
      [stall, kill, note, faster, exit],
      [],
      [],
    ]);
  });

  test('a source hears the sample, and the clocks after it', async () => {
    const moments: EventMoment[] = [];
    const read = (moment: EventMoment) => {
      moments.push(moment);
      return [];
    };
    const rig = new Rig({ durationMs: 1_000, sources: [{ read, finish: read }] });
    await rig.recorder.run();
    expect(moments[0]).toEqual({
      sample: rig.written[0]?.sample,
      ended: [],
      nowMonotonicMs: 50_005,
      nowUnixMs: 1_795_960_800_005,
    });
  });

  test.each<[string, number | null]>([
    ['the end of the duration', 2_000],
    ['stop()', null],
  ])('a source is finished once, with the last sample: %s', async (_, durationMs) => {
    const calls: string[] = [];
    const source: EventSource = {
      read: ({ sample }) => {
        calls.push(`read ${sample.sequence}`);
        return [];
      },
      finish: async ({ sample }) => {
        calls.push(`finish ${sample.sequence}`);
        return [kill];
      },
    };
    const rig = new Rig({ durationMs, sources: [source] });
    rig.onSleep = (sleep) => {
      if (durationMs === null && sleep === 2) rig.recorder.stop('signal');
    };
    await rig.recorder.run();
    expect(calls).toEqual(['read 1', 'read 2', 'finish 3']);
    expect(rig.written.map(({ events }) => events)).toEqual([[], [], [kill]]);
  });
});

describe('pace', () => {
  test('decides on the distance to the next sample, which says what it was', async () => {
    const pace: Pace = {
      ...steady,
      next: ({ sequence }) => ({
        intervalMs: sequence >= 2 && sequence < 5 ? 100 : 1_000,
        notes: [],
      }),
    };
    const rig = new Rig({ durationMs: 4_300, pace });
    await rig.recorder.run();
    expect(rig.beginnings).toEqual([0, 1_000, 1_100, 1_200, 1_300, 2_300, 3_300, 4_300]);
    expect(rig.ticks.map(({ schedule }) => schedule.intervalMs)).toEqual([
      1_000, 1_000, 100, 100, 100, 1_000, 1_000, 1_000,
    ]);
    expect(rig.ticks.at(-1)?.schedule.missedTickCount).toBe(0);
  });

  test('looks in between, and a look that alarms brings the sample at once', async () => {
    let lookCount = 0;
    const pace: Pace = {
      ...steady,
      peekEveryMs: () => 250,
      isUrgent: () => ++lookCount === 5,
    };
    const rig = new Rig({ durationMs: 2_500, pace });
    rig.tookMs = { 0: 0, 1: 0, 2: 0 };
    await rig.recorder.run();
    // Three looks in the first second; the second one of the next at 1,500; from there on again.
    expect(rig.beginnings).toEqual([0, 1_000, 1_500, 2_500]);
    expect(rig.ticks.map(({ latenessMs }) => latenessMs)).toEqual([0, 0, 0, 0]);
    expect(lookCount).toBe(3 + 2 + 3);
  });

  test('stop ends a row of looks', async () => {
    const pace: Pace = { ...steady, peekEveryMs: () => 250 };
    const rig = new Rig({ pace });
    rig.onSleep = (sleep) => {
      if (sleep === 2) rig.recorder.stop('signal');
    };
    expect(await rig.recorder.run()).toBe('signal');
    expect(rig.ticks).toHaveLength(2);
  });
});

// The schedule is kept by the monotonic clock, whatever the wall clock does.
test.each([
  ['a sleep of the machine, or the wall clock set forward', 600_000, 'standby'],
  ['the wall clock set back', -3_600_000, 'clock_step'],
] as const)('%s is told with the sample that follows it', async (_, stepMs, gap) => {
  const rig = new Rig({ durationMs: 3_000 });
  rig.onSleep = (sleep) => {
    if (sleep === 2) rig.clock.stepWall(stepMs);
  };
  await rig.recorder.run();
  expect(rig.beginnings).toEqual([0, 1_000, 2_000, 3_000]);
  expect(rig.ticks.at(-1)).toMatchObject({ latenessMs: 0, schedule: { missedTickCount: 0 } });
  expect(rig.written.map(({ events }) => events)).toEqual([
    [],
    [],
    [expect.objectContaining({ gap, wallMs: 1_000 + stepMs, monotonicMs: 1_000 })],
    [],
  ]);
});

describe('sleep by a timer', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const isOver = async (promise: Promise<void>) =>
    Promise.race([promise.then(() => true), Promise.resolve().then(() => false)]);

  test('ends after its time', async () => {
    vi.useFakeTimers();
    const sleep = timerSleep(1_000, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(999);
    expect(await isOver(sleep)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isOver(sleep)).toBe(true);
  });

  test('ends with the signal and leaves no timer', async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const sleep = timerSleep(1_000, controller.signal);
    controller.abort();
    await sleep;
    expect(vi.getTimerCount()).toBe(0);
    await timerSleep(1_000, controller.signal);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is long when it is asked to be: Node.js fires a timer of 25 days at once', async () => {
    vi.useFakeTimers();
    const sleep = timerSleep(25 * 86_400_000, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(24 * 86_400_000);
    expect(await isOver(sleep)).toBe(false);
  });
});
