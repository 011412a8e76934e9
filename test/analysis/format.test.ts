import { expect, test } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatInstant,
  formatRatio,
} from '../../src/analysis/format.ts';

test.each([
  [null, 'unknown'],
  [0, '0 B'],
  [1023, '1023 B'],
  [12_288, '12.0 KiB'],
  [1_048_576, '1.00 MiB'],
  [417_218_560, '398 MiB'],
  // 1023.7 MiB: three figures would make it 1024 MiB.
  [1_073_426_432, '1.00 GiB'],
  [1_223_122_944, '1.14 GiB'],
  // Above 2^31 and 2^53 (case 105).
  [25_769_803_776, '24.0 GiB'],
  [2 ** 63, '8388608 TiB'],
  [-2_097_152, '-2.00 MiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

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

test('a count takes its word', () => {
  expect(formatCount(1, 'process', 'processes')).toBe('1 process');
  expect(formatCount(0, 'gap')).toBe('0 gaps');
});
