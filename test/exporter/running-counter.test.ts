import { expect, test } from 'vitest';
import { RunningCounter } from '../../src/exporter/running-counter.ts';

test('counts from 0 at the start, so that the first kill is an increase', () => {
  const counter = new RunningCounter(1000, null);
  expect(counter.read(41, 1000)).toEqual({ startUnixMs: 1000, value: 0 });
  expect(counter.read(41, 2000)).toEqual({ startUnixMs: 1000, value: 0 });
  expect(counter.read(42, 3000)).toEqual({ startUnixMs: 1000, value: 1 });
});

test('counts from a base that is known', () => {
  const counter = new RunningCounter(1000, 0);
  expect(counter.read(3, 5000)).toEqual({ startUnixMs: 1000, value: 3 });
});

test('begins again with a new start when the kernel counts from 0 again', () => {
  const counter = new RunningCounter(1000, null);
  counter.read(500, 1000);
  expect(counter.read(700, 2000)).toEqual({ startUnixMs: 1000, value: 200 });
  expect(counter.read(30, 3000)).toEqual({ startUnixMs: 3000, value: 0 });
  expect(counter.read(35, 4000)).toEqual({ startUnixMs: 3000, value: 5 });
});
