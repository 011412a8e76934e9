import { describe, expect, test } from 'vitest';
import { Cadence } from '../../src/collector/cadence.ts';
import type { Sample } from '../../src/model/sample.ts';
import { fakeSample } from '../support/fake-sample.ts';

const MiB = 2 ** 20;
const limitBytes = 1024 * MiB;

/** A sample of a machine of 1 GiB: what is available, when, and how long memory was waited for. */
function at(seconds: number, availableMiB: number, stalledMs = 0): Sample {
  const sample = fakeSample({ second: 0, monotonicMs: seconds * 1000 });
  return {
    ...sample,
    cgroup: null,
    machine: { ...sample.machine, totalBytes: limitBytes, availableBytes: availableMiB * MiB },
    pressure: { ...sample.pressure, memorySomeMs: stalledMs },
  };
}

function cadence(): Cadence {
  return new Cadence({ intervalMs: 1000, fastIntervalMs: 100 });
}

describe('Cadence', () => {
  test('keeps the interval while nothing happens', () => {
    const pace = cadence();
    for (let second = 0; second < 100; second++) {
      // Noise of 30 MiB and a page that takes 60 MiB at once are no reason.
      const available = 700 + (second % 3) * 15 - (second > 50 ? 60 : 0);
      expect(pace.next(at(second, available))).toBe(1000);
    }
    expect(pace.reason).toBeNull();
  });

  test('a leak of 20 MiB a second is fast 30 s before the end', () => {
    const pace = cadence();
    let second = 0;
    let available = 900;
    while (pace.next(at(second, available)) === 1000) {
      second++;
      available -= 20;
    }
    expect(pace.reason).toBe('trend');
    expect(available / 20).toBeGreaterThan(25);
    expect(available / 20).toBeLessThanOrEqual(30);
  });

  test('half of the memory within one interval is fast at once', () => {
    const pace = cadence();
    expect(pace.next(at(0, 800))).toBe(1000);
    expect(pace.next(at(1, 400))).toBe(100);
    expect(pace.reason).toBe('growth');
  });

  test.each([
    ['low', at(1, 100)],
    ['pressure', at(1, 800, 60)],
  ])('%s is a reason', (reason, sample) => {
    const pace = cadence();
    pace.next(at(0, reason === 'low' ? 110 : 800));
    expect(pace.next(sample)).toBe(100);
    expect(pace.reason).toBe(reason);
  });

  test('stays fast for 5 s after it has passed', () => {
    const pace = cadence();
    pace.next(at(0, 800));
    pace.next(at(1, 400));
    expect(pace.next(at(2, 800))).toBe(100);
    expect(pace.next(at(5.9, 800))).toBe(100);
    expect(pace.next(at(6, 800))).toBe(1000);
  });

  test('a session that lives at its limit is not sampled fast for hours', () => {
    const pace = cadence();
    let fastMs = 0;
    let now = 0;
    while (now < 3_600_000) {
      const interval = pace.next(at(now / 1000, 50));
      if (interval === 100) fastMs += 100;
      now += interval;
    }
    // 120 s at first, then a tenth of the quiet time.
    expect(fastMs / 1000).toBeGreaterThan(120);
    expect(fastMs / 1000).toBeLessThan(120 + 360 + 60);
  });

  test('looks in between only where one interval could be too long', () => {
    const pace = cadence();
    expect(pace.peekEveryMs()).toBeNull();
    pace.next(at(0, 800));
    expect(pace.peekEveryMs()).toBe(250);
    const roomy = at(1, 800);
    pace.next({
      ...roomy,
      machine: { ...roomy.machine, totalBytes: 2 ** 34, availableBytes: 2 ** 33 },
    });
    expect(pace.peekEveryMs()).toBeNull();
  });

  test('a look that finds 130 MiB gone within a quarter of a second is alarming', () => {
    const pace = cadence();
    const before = at(0, 600);
    pace.next(before);
    expect(pace.isAlarming(at(0.25, 595), 250)).toBe(false);
    expect(pace.isAlarming(at(0.25, 470), 250)).toBe(true);
  });

  test('memory that came back between two looks: what falls from there on counts', () => {
    const pace = cadence();
    pace.next(at(0, 200));
    // A kill gave 400 MiB back; 100 of them are gone a moment later.
    expect(pace.isAlarming(at(0.25, 600), 250)).toBe(false);
    expect(pace.isAlarming(at(0.5, 500), 500)).toBe(true);
  });

  test('where fast samples are used up, it looks as often', () => {
    const pace = cadence();
    let now = 0;
    while (pace.next(at(now / 1000, 50)) === 100) {
      expect(pace.peekEveryMs()).toBeNull();
      now += 100;
    }
    expect(now).toBeGreaterThanOrEqual(120_000);
    expect(pace.peekEveryMs()).toBe(100);
    // It has passed.
    for (let second = 1; second <= 6; second++) pace.next(at(now / 1000 + second, 800));
    expect(pace.peekEveryMs()).toBe(250);
  });

  test('unknown available memory is no alarm', () => {
    const pace = cadence();
    for (let second = 0; second < 20; second++) {
      const sample = at(second, 10);
      sample.machine.availableBytes = null;
      expect(pace.next(sample)).toBe(1000);
    }
  });
});
