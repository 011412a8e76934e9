import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import { renderText } from '../../src/report/text.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib } from '../support/fake-sample.ts';

const browser = fakeProcess({ pid: 100, role: 'browser' });

/** A session in 600 MiB; what it holds at each second. */
function reportOf(seconds: number, usedMib: (second: number) => number, browserUntil = seconds) {
  const samples = Array.from({ length: seconds }, (_, second) => {
    const bytes = Math.round(usedMib(second) * mib);
    return fakeSample({
      second,
      cgroup: {
        limitBytes: 600 * mib,
        chargedBytes: bytes,
        anonBytes: bytes,
        inactiveFileBytes: 0,
      },
      processes: second < browserUntil ? [browser] : [],
    });
  });
  return analyse(fakeRecording({ samples }));
}

test('a page that leaks to the last sample: no size is recommended', () => {
  // 40 s of start and calm, then 7.5 MiB a second for 31 s: 160 + 225 = 385 MiB, 215 are left.
  const report = reportOf(71, (second) => 160 + 7.5 * Math.max(0, second - 40));
  const { verdict, growth } = report;
  expect(verdict.kind).toBe('healthy');
  expect(growth.atEnd?.lengthMs).toBe(30_000);
  // The grid of the slope is half a second wide: some per cent.
  expect((growth.atEnd?.bytesPerMinute ?? 0) / mib / 450).toBeCloseTo(1, 1);
  // 215 / 7.5.
  expect((growth.atEnd?.timeToLimitMs ?? 0) / 28_667).toBeCloseTo(1, 1);
  expect(verdict.summary).toMatch(
    /but memory grew by 4\d\d MiB a minute over the last 30 s, up to the last sample: at this pace the limit is met (28|29|30) s after it, so that this size cannot be called enough/,
  );
  expect(verdict.advice.join('\n')).not.toContain('fits this session');
  expect(verdict.advice.join('\n')).toContain('no proven size');
  expect(verdict.evidence.join('\n')).toContain('a warning would have been given from');
  expect(renderText(report)).toMatch(/^Healthy so far, and still growing\n/);
});

test('likewise one that has grown for two minutes, slowly and all the time', () => {
  // 1 MiB a second; 180 of 600 MiB are left.
  const { growth, verdict } = reportOf(121, (second) => 300 + second);
  expect(growth.atEnd?.lengthMs).toBe(120_000);
  expect((growth.atEnd?.bytesPerMinute ?? 0) / mib / 60).toBeCloseTo(1, 1);
  expect((growth.atEnd?.timeToLimitMs ?? 0) / 180_000).toBeCloseTo(1, 1);
  expect(verdict.advice.join('\n')).not.toContain('fits this session');
});

test('a browser that ended at the end takes nothing back of what is said', () => {
  const { growth } = reportOf(
    73,
    (second) => (second < 71 ? 160 + 7.5 * Math.max(0, second - 40) : 20),
    71,
  );
  expect((growth.atEnd?.timeToLimitMs ?? 0) / 28_667).toBeCloseTo(1, 1);
});

test.each<[string, number, (second: number) => number]>([
  ['it only starts', 14, (second) => 20 + 15 * second],
  [
    'it starts, to less than half, and that is all that is recorded',
    20,
    (second) => 20 + 12 * second,
  ],
  ['it started, and rests', 60, (second) => 20 + 100 * Math.min(3, second)],
  ['150 MiB at once, just before the end', 60, (second) => (second < 57 ? 200 : 350)],
  ['20 MiB a second, dropped after five', 60, (second) => 200 + 20 * (second % 5)],
  ['it grew, and stopped 20 s before the end', 90, (second) => 100 + 4 * Math.min(70, second)],
  ['it grows by so little that a day would not fill it', 600, (second) => 100 + 0.0002 * second],
  ['a minute and a half says nothing of an hour and a half', 90, (second) => 100 + 0.09 * second],
  [
    'a minute of 118 MiB, given back, three times',
    181,
    (second) => 300 + (118 * (second % 60)) / 60,
  ],
  ['five minutes of it, three times', 901, (second) => 300 + (118 * (second % 300)) / 300],
  ['noise', 120, (second) => 300 + 30 * Math.sin(second * second)],
])('%s: healthy, and the size fits', (_, seconds, usedMib) => {
  const { growth, verdict } = reportOf(seconds, usedMib);
  expect(growth.atEnd).toBeNull();
  expect(verdict.kind).toBe('healthy');
  expect(verdict.advice).toEqual(['The present size of 600 MiB fits this session.']);
});
