import { afterEach, describe, expect, test, vi } from 'vitest';
import { Recorder, type RecorderOptions, timerSleep } from '../../src/collector/recorder.ts';
import type { Schedule } from '../../src/collector/sampler.ts';
import type { Note, RecordingEvent } from '../../src/model/event.ts';
import type { Sample } from '../../src/model/sample.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeOomKill, fakeSample } from '../support/fake-sample.ts';

interface Tick {
  /** When it began, ms after the start. */
  atMs: number;
  schedule: Schedule;
}

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
        this.ticks.push({ atMs: this.clock.monotonic - this.#startMs, schedule });
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
      kernelLog: null,
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
    expect(rig.ticks.at(-1)?.schedule).toEqual({
      sequence: 1_001,
      intervalMs: 1_000,
      latenessMs: 3,
      missedTickCount: 0,
    });
  });

  test('a late tick moves none of the following', async () => {
    const rig = new Rig({ durationMs: 4_000 });
    rig.onSleep = (sleep) => {
      rig.oversleepMs = sleep === 2 ? 400 : 0;
    };
    await rig.recorder.run();
    expect(rig.beginnings).toEqual([0, 1_000, 2_400, 3_000, 4_000]);
    expect(rig.ticks.map(({ schedule }) => schedule.latenessMs)).toEqual([0, 0, 400, 0, 0]);
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
    expect(rig.ticks.map(({ schedule }) => schedule.latenessMs)).toEqual([0, 0, 0, 0]);
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
    expect(rig.ticks[1]?.schedule).toMatchObject({ missedTickCount: 2, latenessMs: 7_500 });
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
    expect(rig.ticks.at(-1)?.schedule.latenessMs).toBe(0);
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

  test('so do those of the store and of the kernel log', async () => {
    const fail = () => {
      throw new RangeError('broken');
    };
    await expect(new Rig({ write: fail }).recorder.run()).rejects.toThrow('broken');
    await expect(new Rig({ kernelLog: { read: fail } }).recorder.run()).rejects.toThrow('broken');
  });
});

test('events: changes, the kernel log’s, then our own, each with one sample only', async () => {
  const kill = fakeOomKill({ pid: 7, comm: 'chromium' });
  const note: Note = { kind: 'note', timeUnixMs: 0, code: 'kmsg_overrun', message: 'lost 3' };
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
  const reads: [number, number][] = [];
  const kernelLog = {
    read: (nowMonotonicMs: number, nowUnixMs: number) => {
      reads.push([nowMonotonicMs, nowUnixMs]);
      return reads.length === 2 ? { kills: [kill], notes: [note] } : { kills: [], notes: [] };
    },
  };
  const rig = new Rig({ durationMs: 3_000, kernelLog });
  rig.onSleep = (sleep) => {
    if (sleep === 1) rig.clock.advance(2_600);
  };
  rig.onTick = (tick) => {
    if (tick === 1) rig.recorder.note(exit);
  };
  await rig.recorder.run();
  const stall = expect.objectContaining({ kind: 'gap', gap: 'stall' });
  expect(rig.written.map(({ events }) => events)).toEqual([[], [stall, kill, note, exit], []]);
  // The log is read after the sample, by the same two clocks.
  expect(reads[0]).toEqual([50_005, 1_795_960_800_005]);
});

test('a sleep of the machine is told with the sample that follows it', async () => {
  const rig = new Rig({ durationMs: 2_000 });
  rig.onSleep = (sleep) => {
    if (sleep === 2) rig.clock.stepWall(600_000);
  };
  await rig.recorder.run();
  expect(rig.beginnings).toEqual([0, 1_000, 2_000]);
  expect(rig.written[2]?.events).toEqual([
    expect.objectContaining({ kind: 'gap', gap: 'standby', wallMs: 601_000, monotonicMs: 1_000 }),
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
