import { expect, test } from 'vitest';
import { formatBytes } from '../../src/model/format-bytes.ts';

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
