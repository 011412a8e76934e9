import { expect, test } from 'vitest';
import { parseAlertRule } from '../../src/cli/alert-option.ts';
import { UsageError } from '../../src/cli/command.ts';

test.each([
  ['headroom<200MiB', 'headroom', 209_715_200, 'bytes'],
  ['headroom < 1G', 'headroom', 1_073_741_824, 'bytes'],
  ['headroom<10%', 'headroom', 0.1, 'ratio'],
  ['time-to-limit<30s', 'time-to-limit', 30, 'seconds'],
  ['time-to-limit<1m30s', 'time-to-limit', 90, 'seconds'],
  ['pressure>20%', 'pressure', 0.2, 'ratio'],
  [' stall>7.5% ', 'stall', 0.075, 'ratio'],
])('%s', (text, metric, threshold, unit) => {
  expect(parseAlertRule('--alert', text)).toEqual({ text: text.trim(), metric, threshold, unit });
});

test.each([
  '',
  'headroom',
  'headroom>200MiB',
  'headroom<0',
  'headroom<-5MiB',
  'headroom<120%',
  'pressure<20%',
  'pressure>20',
  'time-to-limit<30',
  'time-to-limit<0s',
  'memory<5%',
  'headroom<5%; rm -rf /',
])('"%s" is refused', (text) => {
  expect(() => parseAlertRule('--alert', text)).toThrow(UsageError);
});

test.each(['headroom<200%', 'stall>101%'])('%s: more than all', (text) => {
  expect(() => parseAlertRule('--alert', text)).toThrow(/takes 100% at most, not "\d+%"$/);
});
