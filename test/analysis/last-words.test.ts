import fs from 'node:fs';
import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { Note, ProcessExit, RecordingEvent } from '../../src/model/event.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

const at = (second: number) => startUnixMs + second * 1000;
const browser = fakeProcess({ pid: 800, role: 'browser', browserPid: 800 });
const renderer = (pid: number) => fakeProcess({ pid, role: 'renderer', browserPid: 800 });

// Case 056, as Chromium 156 wrote it; there its pid is 9266.
const caseLine = fs
  .readFileSync(
    new URL('../fixtures/cases/056-v8-heap-oom-is-not-kernel-oom/chrome.stderr', import.meta.url),
    'utf8',
  )
  .trim();
const lineOf = (pid: number) => caseLine.replaceAll('9266', String(pid));

function trapped(pid: number): ProcessExit {
  const ids = { pid, startTicks: pid * 10, role: 'renderer' } as const;
  const end = { exitCode: null, signal: 'SIGTRAP', source: 'connector' } as const;
  return { kind: 'process_exit', timeUnixMs: at(40), ...ids, ...end };
}

function note(message: string, code: Note['code'] = 'browser_log'): Note {
  return { kind: 'note', timeUnixMs: at(41), code, message };
}

/** A minute with 70 % of memory to spare, in which these renderers are gone from second 40 on. */
function reportOf(pids: readonly number[], notes: readonly RecordingEvent[]) {
  const samples = Array.from({ length: 60 }, (_, second) =>
    fakeSample({
      second,
      machine: { availableBytes: 0.7 * 1024 * mib },
      activity: { oomKillCount: 5 },
      processes: second < 40 ? [browser, ...pids.map(renderer)] : [browser],
    }),
  );
  return analyse(fakeRecording({ samples, events: [...pids.map(trapped), ...notes] }));
}

test('056: V8 says that its heap is full, and a larger machine would not help', () => {
  const report = reportOf([926], [note(lineOf(926))]);
  expect(report.oomKills).toEqual([]);
  expect(report.deaths).toMatchObject([
    { pid: 926, verdict: 'v8_heap_limit', certainty: 'recorded', signal: 'SIGTRAP' },
  ]);
  expect(report.verdict.kind).toBe('v8_heap_limit');
  expect(report.verdict.summary).toContain('70 % of the memory was available');
  expect(report.verdict.advice.join()).toContain('A larger machine does not help');
});

test('a pid that is known to nobody here (a sandbox): inferred, if only one ended so', () => {
  expect(reportOf([926], [note(lineOf(1))]).deaths).toMatchObject([
    { verdict: 'v8_heap_limit', certainty: 'inferred' },
  ]);
  expect(reportOf([926, 927], [note(lineOf(1))]).deaths).toMatchObject([
    { verdict: 'unknown' },
    { verdict: 'unknown' },
  ]);
});

test('with the pid that the recorder found for it: recorded, also if several ended so', () => {
  expect(reportOf([926, 927], [note(`${lineOf(45)} (pid 927 here)`)]).deaths).toMatchObject([
    { pid: 926, verdict: 'unknown' },
    { pid: 927, verdict: 'v8_heap_limit', certainty: 'recorded' },
  ]);
});

test('the line of another process explains nothing', () => {
  expect(reportOf([926, 927], [note(lineOf(926))]).deaths).toMatchObject([
    { pid: 926, verdict: 'v8_heap_limit' },
    { pid: 927, verdict: 'unknown' },
  ]);
});

test.each<[string, Note, string]>([
  [
    'the allocator, by its page for tests',
    note(
      '[926:926:1129/232705.956208:ERROR:third_party/blink/common/chrome_debug_urls.cc:207] Intentionally exhausting renderer memory because user navigated to chrome://memory-exhaust/',
    ),
    'chromium_oom',
  ],
  [
    'a limit of data, by the kernel',
    note(
      'mmap: chromium (926): VmData 1074003968 exceed data ulimit 1073741824. Update limits or use boot option ignore_rlimit_data.',
      'data_limit',
    ),
    'chromium_oom',
  ],
  [
    '/dev/shm',
    note(
      '[926:926:0817/101500.123456:ERROR:platform_shared_memory_region_posix.cc(214)] Creating shared memory in /dev/shm/.org.chromium.Chromium.JwBSnH failed: No space left on device (28)',
    ),
    'shm_full',
  ],
])('%s', (_, told, verdict) => {
  const report = reportOf([926], [told]);
  expect(report.deaths).toMatchObject([{ pid: 926, verdict, certainty: 'recorded' }]);
  expect(report.verdict.kind).toBe(verdict);
});

// Measured with Chromium 131 in 64 MiB: it ended itself, and its log says nothing.
test('without a word: /dev/shm was nearly full in the minute before', () => {
  const low = note('/dev/shm has 14.0 MiB of 64.0 MiB left', 'dev_shm_low');
  const before = (seconds: number) => ({ ...low, timeUnixMs: at(40 - seconds) });
  expect(reportOf([926], [before(2)]).deaths).toMatchObject([
    { verdict: 'shm_full', certainty: 'inferred' },
  ]);
  expect(reportOf([926], [before(2)]).verdict).toMatchObject({
    kind: 'shm_full',
    advice: [expect.stringContaining('--shm-size')],
  });
  expect(reportOf([926], [before(61)]).deaths).toMatchObject([{ verdict: 'unknown' }]);
  // What somebody said counts more.
  expect(reportOf([926], [before(2), note(lineOf(926))]).deaths).toMatchObject([
    { verdict: 'v8_heap_limit' },
  ]);
});
