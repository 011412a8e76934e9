import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { RecordingEvent } from '../../src/model/event.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

/** A renderer that is gone at second 20, and what the browser and the kernel say of it. */
function deathsOf(parts: {
  status: string;
  errorCode: number;
  signal: string | null;
  pid?: number;
}) {
  const browser = fakeProcess({ pid: 100, role: 'browser' });
  const renderer = fakeProcess({ pid: 110, role: 'renderer' });
  const timeUnixMs = startUnixMs + 20_000;
  const { status, errorCode, signal, pid = 110 } = parts;
  const events: RecordingEvent[] = [
    {
      kind: 'target_crash',
      timeUnixMs,
      targetId: 'A',
      targetType: 'page',
      url: 'https://shop.test',
      status,
      errorCode,
      pid,
      startTicks: pid * 10,
    },
    {
      kind: 'process_exit',
      timeUnixMs,
      pid: 110,
      startTicks: 1_100,
      role: 'renderer',
      exitCode: null,
      signal,
      source: signal === null ? 'vanished' : 'connector',
    },
  ];
  const samples = Array.from({ length: 30 }, (_, second) =>
    fakeSample({
      second,
      machine: { totalBytes: 1_024 * mib, availableBytes: 700 * mib },
      activity: { oomKillCount: 5 },
      processes: second < 20 ? [browser, renderer] : [browser],
    }),
  );
  return analyse(fakeRecording({ samples, events })).deaths;
}

const words = (what: string) => `the browser (CDP) says of its page https://shop.test: ${what}`;

test('beside what the kernel says of that end', () => {
  const [death] = deathsOf({ status: 'killed', errorCode: 9, signal: 'SIGKILL' });
  expect(death).toMatchObject({ pid: 110, verdict: 'killed' });
  expect(death?.evidence.at(-1)).toBe(words('killed, error code 9'));
});

// chromium.md, chapter 4: crashed 5 is V8, PartitionAlloc, Page.crash or a full /dev/shm.
test.each([
  ['crashed', 11, 'crash'],
  ['crashed', 5, 'unknown'],
  ['killed', 9, 'unknown'],
])('where nothing else is known: %s %i is %s', (status, errorCode, verdict) => {
  expect(deathsOf({ status, errorCode, signal: null })).toMatchObject([
    { pid: 110, verdict, evidence: [words(`${status}, error code ${errorCode}`)] },
  ]);
});

test('a crash in another process says nothing of this one', () => {
  expect(deathsOf({ status: 'crashed', errorCode: 11, signal: null, pid: 120 })).toEqual([]);
});
