import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { ProcessExit, RecordingEvent } from '../../src/model/event.ts';
import type { Sample } from '../../src/model/sample.ts';
import type { SessionFacts } from '../../src/model/session.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeOomKill, fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

const at = (second: number) => startUnixMs + second * 1000;
const browser = fakeProcess({ pid: 100, role: 'browser' });
const renderer = fakeProcess({ pid: 110, role: 'renderer' });

/** A minute in which the browser is last seen at second 40, on a machine with 70 % to spare. */
function samples(options: { counter?: number | null; browserUntil?: number } = {}): Sample[] {
  const { counter = 5, browserUntil = 40 } = options;
  return Array.from({ length: 60 }, (_, second) =>
    fakeSample({
      second,
      machine: { availableBytes: 0.7 * 1024 * mib },
      activity: { oomKillCount: counter },
      processes: second <= browserUntil ? [browser, renderer] : [],
    }),
  );
}

function exited(exitCode: number | null, signal: string | null, second = 41): ProcessExit {
  return {
    kind: 'process_exit',
    timeUnixMs: at(second),
    pid: 100,
    startTicks: 1000,
    role: 'browser',
    exitCode,
    signal,
    source: 'parent',
  };
}

const noLog: RecordingEvent = {
  kind: 'note',
  timeUnixMs: at(0),
  code: 'kmsg_unavailable',
  message: '/dev/kmsg: denied',
};

function deathsOf(
  events: readonly RecordingEvent[],
  options: { counter?: number | null; facts?: Partial<SessionFacts> } = {},
) {
  return analyse(fakeRecording({ samples: samples(options), events, facts: options.facts ?? {} }));
}

test.each([
  ['SIGSEGV', 'crash', 'crash'],
  ['SIGABRT', 'crash', 'crash'],
  ['SIGILL', 'crash', 'crash'],
  ['SIGKILL', 'killed', 'killed'],
  ['SIGTERM', 'killed', 'killed'],
  // V8, PartitionAlloc and Page.crash are one signal: chromium.md, chapter 4.
  ['SIGTRAP', 'unknown', 'unknown'],
])('%s is %s', (signal, verdict, kind) => {
  const report = deathsOf([exited(null, signal)]);
  expect(report.deaths).toMatchObject([
    { pid: 100, role: 'browser', verdict, certainty: 'recorded', signal, timeUnixMs: at(41) },
  ]);
  expect(report.verdict.kind).toBe(kind);
  expect(report.verdict.summary).toContain(signal);
});

test('exit code 137 alone is no OOM kill', () => {
  const report = deathsOf([exited(137, null)]);
  expect(report.deaths).toMatchObject([{ verdict: 'unknown' }]);
  expect(report.verdict.kind).toBe('unknown');
  expect(report.verdict.evidence.join('\n')).toContain('exit code 137');
});

test('a clean exit is no trouble', () => {
  const report = deathsOf([exited(0, null)]);
  expect(report.deaths).toMatchObject([{ verdict: 'exited', certainty: 'recorded' }]);
  expect(report.verdict.kind).toBe('healthy');
});

test('a browser that vanished: unknown, with what speaks against an OOM kill', () => {
  const report = deathsOf([]);
  expect(report.deaths).toMatchObject([
    { pid: 100, verdict: 'unknown', certainty: 'inferred', signal: null },
  ]);
  expect(report.deaths[0]?.evidence).toContain('oom_kill counter of the machine did not move');
  expect(report.verdict).toMatchObject({ kind: 'unknown' });
  expect(report.verdict.summary).toContain('how is not recorded');
  expect(report.verdict.summary).toContain('70 %');
});

test('a renderer that went away is a closed tab', () => {
  const withoutRenderer = samples({ browserUntil: 59 }).map((sample) =>
    sample.timeUnixMs > at(30) ? { ...sample, processes: [browser] } : sample,
  );
  const report = analyse(fakeRecording({ samples: withoutRenderer }));
  expect(report.deaths).toEqual([]);
  expect(report.processes.find(({ pid }) => pid === 110)?.exit?.timeUnixMs).toBe(at(31));
});

test('a browser whose recorded command exited with 0 was closed', () => {
  const command = fakeProcess({ pid: 50, role: 'other', comm: 'node' });
  const withCommand = samples().map((sample) => ({
    ...sample,
    processes: [...sample.processes, command],
  }));
  const end: RecordingEvent = {
    kind: 'process_exit',
    timeUnixMs: at(60),
    pid: 50,
    startTicks: 500,
    role: 'other',
    exitCode: 0,
    signal: null,
    source: 'parent',
  };
  const report = analyse(
    fakeRecording({
      samples: withCommand,
      events: [end],
      facts: { endReason: 'command_exited' },
    }),
  );
  expect(report.deaths).toMatchObject([{ pid: 100, verdict: 'exited', certainty: 'inferred' }]);
  expect(report.verdict.kind).toBe('healthy');
});

test('`chromium --version` is no browser that died', () => {
  const brief = fakeProcess({ pid: 300, role: 'browser', browserPid: 300 });
  const report = analyse(
    fakeRecording({
      samples: [0, 1, 2].map((second) =>
        fakeSample({ second, processes: second === 0 ? [brief] : [] }),
      ),
    }),
  );
  expect(report.deaths).toEqual([]);
});

test('a browser that the end of the recording stops was not killed', () => {
  const report = deathsOf([exited(null, 'SIGTERM', 59)], {
    facts: { endReason: 'signal', endedUnixMs: at(59) },
  });
  expect(report.deaths).toMatchObject([{ verdict: 'exited' }]);
});

test('SIGKILL with nothing here that would know of an OOM kill stays unknown', () => {
  const report = deathsOf([exited(null, 'SIGKILL'), noLog], { counter: null });
  expect(report.deaths).toMatchObject([{ verdict: 'unknown', certainty: 'recorded' }]);
  expect(report.verdict.evidence.join('\n')).toContain('a kill would not be known');
});

test('SIGKILL in the moment in which the counter moved without a record: the kernel, inferred', () => {
  const jump: RecordingEvent = {
    kind: 'oom_counter',
    timeUnixMs: at(41),
    counter: 'machine',
    count: 1,
  };
  const report = deathsOf([exited(null, 'SIGKILL'), noLog, jump]);
  expect(report.deaths).toMatchObject([{ verdict: 'kernel_oom', certainty: 'inferred' }]);
  expect(report.verdict.kind).toBe('kernel_oom');
});

test('a kill that the log has is recorded, whatever the exit says', () => {
  const kill = fakeOomKill({ pid: 100, comm: 'chromium', timeUnixMs: at(40.5), scope: 'machine' });
  const report = deathsOf([kill, exited(null, 'SIGKILL')]);
  expect(report.deaths).toMatchObject([
    { verdict: 'kernel_oom', certainty: 'recorded', evidence: ['kmsg:1200'], timeUnixMs: at(40.5) },
  ]);
});

test('SIGKILL in a session with an OOM kill of which no record says whom it hit stays unknown', () => {
  const jump: RecordingEvent = {
    kind: 'oom_counter',
    timeUnixMs: at(10),
    counter: 'machine',
    count: 1,
  };
  const report = deathsOf([exited(null, 'SIGKILL'), jump]);
  expect(report.deaths).toMatchObject([{ verdict: 'unknown', evidence: ['signal:SIGKILL'] }]);
});

// The exit of every browser process may be known. A tab that is closed ends by SIGTERM or with 0.
test.each<[string, number | null, string | null, number, string[]]>([
  ['SIGTERM', null, 'SIGTERM', 31, []],
  ['exit code 0', 0, null, 31, []],
  ['SIGKILL while the browser lives on', null, 'SIGKILL', 31, ['killed']],
  ['SIGSEGV', null, 'SIGSEGV', 31, ['crash']],
  ['SIGTRAP', null, 'SIGTRAP', 31, ['unknown']],
  ['SIGKILL together with its browser', null, 'SIGKILL', 41, []],
])('a renderer that ends by %s', (_, exitCode, signal, second, verdicts) => {
  const exits: RecordingEvent[] = [
    {
      ...exited(exitCode, signal, second),
      pid: 110,
      startTicks: 1100,
      role: 'renderer',
      source: 'connector',
    },
    exited(0, null),
  ];
  const ended = samples().map((sample) =>
    sample.timeUnixMs >= at(second)
      ? { ...sample, processes: sample.processes.filter(({ pid }) => pid !== 110) }
      : sample,
  );
  const report = analyse(fakeRecording({ samples: ended, events: exits }));
  expect(report.deaths.filter(({ pid }) => pid === 110).map(({ verdict }) => verdict)).toEqual(
    verdicts,
  );
  expect(report.verdict.kind).toBe(verdicts[0] ?? 'healthy');
});
