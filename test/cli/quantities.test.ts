import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/cli/command.ts';
import {
  parseDuration,
  parseHttpUrl,
  parseInstant,
  parseLabels,
  parseSize,
} from '../../src/cli/quantities.ts';

describe('durations', () => {
  test.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1.5s', 1_500],
    ['0.25h', 900_000],
    [' 1s ', 1_000],
    ['0s', 0],
    ['1m30s', 90_000],
    ['2h30m', 9_000_000],
    ['1h500ms', 3_600_500],
    ['1h1m1s1ms', 3_661_001],
  ])('%s', (text, ms) => {
    expect(parseDuration('--for', text)).toBe(ms);
  });

  test.each([
    '',
    '5',
    's',
    '-5s',
    '1 s',
    '1e3s',
    '1d',
    '1S',
    '5min',
    '1s2m',
    '1m1m',
    '1m30',
    'NaNs',
    '١s',
  ])('%j is none', (text) => {
    const parse = () => parseDuration('--for', text);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(`--for takes a duration`);
    expect(parse).toThrow(`"${text}"`);
  });
});

describe('sizes', () => {
  test.each([
    ['4096', 4_096],
    ['4096B', 4_096],
    ['1KiB', 1_024],
    ['400MiB', 419_430_400],
    ['1GiB', 1_073_741_824],
    ['1.5GiB', 1_610_612_736],
    ['2TiB', 2_199_023_255_552],
    ['64K', 65_536],
    ['400m', 419_430_400],
    ['1G', 1_073_741_824],
    ['1.5g', 1_610_612_736],
    ['2T', 2_199_023_255_552],
    ['1gib', 1_073_741_824],
    ['10b', 10],
  ])('%s', (text, bytes) => {
    expect(parseSize('--memory-limit', text)).toBe(bytes);
  });

  // KB is 1000 for some and 1024 for others.
  test.each(['', 'GiB', '-1GiB', '1KB', '1MB', '1GB', '1tb', '1 GiB', '1iB', '0x10', '1e9'])(
    '%j is none',
    (text) => {
      const parse = () => parseSize('--memory-limit', text);
      expect(parse).toThrow(UsageError);
      expect(parse).toThrow('--memory-limit takes a size');
      expect(parse).toThrow('the units are B, K, M, G and T, or KiB, MiB, GiB and TiB');
    },
  );
});

describe('instants', () => {
  const recording = { startUnixMs: 1_795_960_800_000, endUnixMs: 1_795_964_400_000 };

  test.each([
    ['2026-11-29T14:00:00Z', 1_795_960_800_000],
    ['2026-11-29T15:00:00+01:00', 1_795_960_800_000],
    ['2026-11-29T14:00:00.250Z', 1_795_960_800_250],
    ['1795960800000', 1_795_960_800_000],
    ['+90s', 1_795_960_890_000],
    ['-2m', 1_795_964_280_000],
  ])('%s', (text, unixMs) => {
    expect(parseInstant('--from', text, recording)).toBe(unixMs);
  });

  test.each(['', 'soon', '+', '-', '+5', '90s', '2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z'])(
    '%j is none',
    (text) => {
      expect(() => parseInstant('--from', text, recording)).toThrow(UsageError);
      expect(() => parseInstant('--from', text, recording)).toThrow('--from');
    },
  );
});

describe('labels', () => {
  test('the first = divides; the value may be empty', () => {
    expect(parseLabels('--label', ['a=1', 'b=x=y', 'c='])).toEqual({ a: '1', b: 'x=y', c: '' });
    expect(parseLabels('--label', [])).toEqual({});
  });

  test.each(['workload', '=x', '', '='])('%j is none', (pair) => {
    expect(() => parseLabels('--label', [pair])).toThrow(UsageError);
    expect(() => parseLabels('--label', [pair])).toThrow(`--label takes KEY=VALUE, not "${pair}"`);
  });
});

describe('URLs', () => {
  test.each(['http://localhost:4318', 'HTTPS://example.org/v1/metrics'])('%s', (text) => {
    expect(parseHttpUrl('--otlp', text)).toBe(text);
  });

  test.each(['', 'foo', 'localhost:4318', 'ftp://example.org', 'http://'])('%j is none', (text) => {
    expect(() => parseHttpUrl('--otlp', text)).toThrow(UsageError);
    expect(() => parseHttpUrl('--otlp', text)).toThrow('--otlp takes a URL such as');
  });

  test('a password is not told', () => {
    expect(() => parseHttpUrl('--otlp', 'ftp://me:secret@host')).toThrow(/not "ftp:\/\/host"$/);
  });
});
