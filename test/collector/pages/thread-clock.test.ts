import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ThreadClock } from '../../../src/collector/pages/thread-clock.ts';

const ms = 1e6;

/** Counters of main threads by pid, in ms. */
function sweep(clocks: Record<number, number>): Map<number, number> {
  return new Map(Object.entries(clocks).map(([pid, value]) => [Number(pid), value * ms]));
}

describe('a clock that counts from an unknown moment', () => {
  test('rules out who rests while it runs, and who runs more than it does', () => {
    const clock = new ThreadClock();
    clock.add(0, sweep({ 1: 200, 2: 300, 3: 400 }), sweep({ 1: 201, 2: 300, 3: 450 }));
    expect(clock.candidates()).toEqual([1, 2, 3]);
    // The clock ran 0.5 ms: 2 rests at 300; 3 was at 450 by then, 50 beyond where it began.
    clock.add(0.5 * ms, sweep({ 1: 201, 2: 300, 3: 451 }), sweep({ 1: 202, 2: 300, 3: 500 }));
    expect(clock.candidates()).toEqual([1]);
  });

  test('two threads that ran alike stay until one of them differs', () => {
    const clock = new ThreadClock();
    clock.add(0, sweep({ 1: 100, 2: 100 }), sweep({ 1: 105, 2: 105 }));
    clock.add(5 * ms, sweep({ 1: 105, 2: 105 }), sweep({ 1: 110, 2: 110 }));
    expect(clock.candidates()).toEqual([1, 2]);
    clock.add(10 * ms, sweep({ 1: 110, 2: 150 }), sweep({ 1: 115, 2: 155 }));
    expect(clock.candidates()).toEqual([1]);
  });

  test('who is missing in a sweep, or came after the first, is none', () => {
    const clock = new ThreadClock();
    clock.add(0, sweep({ 1: 1, 2: 2 }), sweep({ 1: 2 }));
    clock.add(0, sweep({ 1: 2, 3: 1 }), sweep({ 1: 3, 3: 2 }));
    expect(clock.candidates()).toEqual([1]);
  });

  test('what is no time counts for nothing', () => {
    const clock = new ThreadClock();
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
      clock.add(value, sweep({ 1: 1 }), sweep({ 1: 2 }));
    }
    expect(clock.readingCount).toBe(0);
    expect(clock.candidates()).toEqual([]);
  });
});

test('the right thread is never ruled out, whatever the others do, with the kernel’s rounding', () => {
  const step = fc.record({
    beforeNs: fc.integer({ min: 0, max: 50e6 }),
    inNs: fc.integer({ min: 0, max: 50e6 }),
    afterNs: fc.integer({ min: 0, max: 50e6 }),
    others: fc.array(fc.integer({ min: 0, max: 4e15 }), { maxLength: 5 }),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4e15 }),
      fc.array(step, { minLength: 1, maxLength: 8 }),
      (startNs, steps) => {
        const clock = new ThreadClock();
        let threadNs = startNs;
        let originNs: number | null = null;
        for (const { beforeNs, inNs, afterNs, others } of steps) {
          const before = new Map([[7, threadNs], ...others.map(other)]);
          threadNs += beforeNs;
          originNs ??= threadNs;
          // The protocol cuts to microseconds.
          const told = Math.floor((threadNs - originNs) / 1_000) * 1_000;
          threadNs += inNs + afterNs;
          clock.add(told, before, new Map([[7, threadNs], ...others.map(other)]));
        }
        expect(clock.candidates()).toContain(7);
      },
    ),
  );
});

test('hostile clocks and counters never throw', () => {
  const counters = fc
    .array(fc.tuple(fc.integer(), fc.double()), { maxLength: 8 })
    .map((pairs) => new Map(pairs));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.double(), counters, counters)), (readings) => {
      const clock = new ThreadClock();
      for (const [value, before, after] of readings) clock.add(value, before, after);
      expect(clock.candidates().length).toBeLessThanOrEqual(8);
    }),
  );
});

function other(ns: number, index: number): [number, number] {
  return [100 + index, ns];
}
