import { expect, test } from 'vitest';
import { timeLeft } from '../../src/cli/time-left.ts';

test('a given time is for all files together, whenever the next one begins', () => {
  let nowMs = 1_000;
  const left = timeLeft(30_000, new AbortController().signal, () => nowMs);
  expect(left()).toBe(30_000);
  nowMs += 29_000;
  expect(left()).toBe(1_000);
  nowMs += 2_000;
  expect(left()).toBe(-1_000);
});

test('without one there is no end, until a signal leaves five seconds for all that is left', () => {
  let nowMs = 1_000;
  const end = new AbortController();
  const left = timeLeft(null, end.signal, () => nowMs);
  nowMs += 3_600_000;
  expect(left()).toBeNull();
  end.abort();
  expect(left()).toBe(5_000);
  nowMs += 6_000;
  expect(left()).toBe(-1_000);
  expect(timeLeft(null, AbortSignal.abort(), () => 0)()).toBe(5_000);
});

test('a signal does not shorten the time that was given', () => {
  expect(timeLeft(60_000, AbortSignal.abort(), () => 0)()).toBe(60_000);
});
