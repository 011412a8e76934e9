import { expect, test } from 'vitest';
import {
  formatCount,
  formatDistance,
  formatDuration,
  formatInstant,
  formatRatio,
} from '../../src/analysis/format.ts';

test.each([
  [null, 'unknown'],
  [0, '0 %'],
  [0.005, '0.5 %'],
  [0.0994, '9.9 %'],
  [0.0996, '10 %'],
  [0.6186, '62 %'],
  [1.02, '102 %'],
])('the ratio %d is %s', (ratio, text) => {
  expect(formatRatio(ratio)).toBe(text);
});

test.each([
  [null, 'unknown'],
  [450, '450 ms'],
  [20_000, '20 s'],
  [300_000, '5 min'],
  [310_000, '5 min 10 s'],
  [59_600, '1 min'],
  [7_500_000, '2 h 5 min'],
])('%d ms are %s', (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

test.each([
  [null, 'unknown'],
  [Number.NaN, 'unknown'],
  [1_795_960_800_000, '2026-11-29T14:00:00Z'],
])('the instant %d is %s', (unixMs, text) => {
  expect(formatInstant(unixMs)).toBe(text);
});

test.each([
  // 13:06:15.1 and 13:06:51.9: 36.8 s; printed are :15 and :51.
  [15_100, 51_900, '36 s'],
  [15_900, 51_100, '36 s'],
  // 0.2 s, but printed are :15 and :16.
  [15_900, 16_100, '1 s'],
  [15_100, 15_550, '450 ms'],
  [15_900, 135_100, '2 min'],
])('from %d to %d it is as far as the times that are printed', (from, to, text) => {
  expect(formatDistance(from, to)).toBe(text);
});

test('a count takes its word', () => {
  expect(formatCount(1, 'process', 'processes')).toBe('1 process');
  expect(formatCount(0, 'gap')).toBe('0 gaps');
});
