import { describe, expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { Note, RecordingEvent } from '../../src/model/event.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeOomKill, fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

const browser = fakeProcess({ pid: 100, role: 'browser' });

function reportOf(events: readonly RecordingEvent[], oomKillCount: number | null = 0) {
  const samples = [0, 1, 2, 3].map((second) =>
    fakeSample({
      second,
      machine: { availableBytes: 512 * mib },
      activity: { oomKillCount },
      processes: [browser],
    }),
  );
  return analyse(fakeRecording({ samples, events }));
}

/** As src/collector/kmsg/kmsg-reader.ts writes it. */
function overrun(second: number, lost: number): Note {
  const timeUnixMs = startUnixMs + second * 1000;
  const message = `The kernel log was overwritten before it was read: 1 × at 2026-11-29T14:00:00.000Z, ${lost} records lost in all; kills in them show only in the kill counters`;
  return { kind: 'note', timeUnixMs, code: 'kmsg_overrun', message };
}

const unavailable: Note = {
  kind: 'note',
  timeUnixMs: startUnixMs,
  code: 'kmsg_unavailable',
  message: '/dev/kmsg cannot be read (EPERM): kernel OOM kills show only in the kill counters',
};

describe('records lost while recording', () => {
  test.each<[string, Note[], number]>([
    ['no note', [], 0],
    ['an overrun of which nothing was lost', [overrun(2, 0)], 0],
    ['lost before the recording began', [overrun(0, 900)], 0],
    ['lost later', [overrun(2, 41)], 41],
    ['lost before and later', [overrun(0, 900), overrun(2, 941)], 41],
    ['lost by a second recorder, that counts from zero', [overrun(2, 41), overrun(3, 5)], 46],
  ])('%s', (_, notes, lost) => {
    const report = reportOf(notes);
    expect(report.isKernelLogRead).toBe(true);
    expect(report.kernelLogRecordsLost).toBe(lost);
    const evidence = report.verdict.evidence.join('\n');
    expect(evidence).not.toContain('could not be read');
    expect(evidence.includes('some records of the kernel log were overwritten')).toBe(lost > 0);
  });
});

test('a log that was read and names a kill is not called unreadable', () => {
  const kill = fakeOomKill({ pid: 100, comm: 'chromium', timeUnixMs: startUnixMs + 2500 });
  const { evidence } = reportOf([overrun(2, 0), kill]).verdict;
  expect(evidence[0]).toContain('kmsg:1200');
  expect(evidence.join('\n')).not.toContain('kernel log');
});

test.each([
  [0, 'the kernel log could not be read: OOM kills are known by the counter alone'],
  [null, 'neither the kernel log nor an OOM counter could be read: a kill would not be known'],
])('a log that cannot be read, counter %s', (oomKillCount, words) => {
  const report = reportOf([unavailable], oomKillCount);
  expect(report.isKernelLogRead).toBe(false);
  expect(report.verdict.evidence).toContain(words);
});

test.each([
  [
    0,
    'some records of the kernel log were overwritten (41 lost): a kill in them is known by the counter alone',
  ],
  [
    null,
    'some records of the kernel log were overwritten (41 lost): a kill in them would not be known',
  ],
])('records that were lost, counter %s', (oomKillCount, words) => {
  expect(reportOf([overrun(2, 41)], oomKillCount).verdict.evidence).toContain(words);
});
