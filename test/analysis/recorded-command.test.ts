import { describe, expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { Note, ProcessExit, RecordingEvent } from '../../src/model/event.ts';
import type { ProcessReading } from '../../src/model/sample.ts';
import type { SessionFacts } from '../../src/model/session.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

const at = (second: number) => startUnixMs + second * 1000;
const shell = fakeProcess({ pid: 50, role: 'other', comm: 'sh' });
const browser = fakeProcess({ pid: 100, role: 'browser' });

const stopAsked: Note = {
  kind: 'note',
  timeUnixMs: at(18),
  code: 'stop_asked',
  message: 'SIGINT, passed on to the command',
};

function exitOf(
  process: ProcessReading,
  end: Partial<ProcessExit> & Pick<ProcessExit, 'source'>,
): ProcessExit {
  const { pid, startTicks, role } = process;
  const unknown = { exitCode: null, signal: null };
  return { kind: 'process_exit', timeUnixMs: at(19), pid, startTicks, role, ...unknown, ...end };
}

/** 19 seconds with half of the memory free; then both are gone. */
function reportOf(...events: RecordingEvent[]) {
  const samples = Array.from({ length: 20 }, (_, second) =>
    fakeSample({
      second,
      machine: { availableBytes: 512 * mib },
      activity: { oomKillCount: 0 },
      processes: second < 19 ? [shell, browser] : [],
    }),
  );
  return analyse(fakeRecording({ samples, events, facts: { endReason: 'command_exited' } }));
}

const commandEnd = (exitCode: number | null, signal: string | null) =>
  exitOf(shell, { exitCode, signal, source: 'parent' });
const closed = exitOf(browser, { exitCode: 0, source: 'connector' });
const lowest = 'o memory problem was seen: the lowest headroom was 50 % (512 MiB of 1.00 GiB).';

test.each<[string, RecordingEvent[], string]>([
  ['exit code 0', [commandEnd(0, null)], `N${lowest}`],
  ['exit code 1', [commandEnd(1, null)], `The command failed with exit code 1; n${lowest}`],
  [
    'SIGINT, when headroom was asked to end',
    [commandEnd(null, 'SIGINT'), stopAsked],
    `The command was stopped by a signal (SIGINT); n${lowest}`,
  ],
  [
    'exit code 130, when headroom was asked to end',
    [commandEnd(130, null), stopAsked],
    `The command was stopped by a signal (exit code 130); n${lowest}`,
  ],
])('a command that ends by %s leaves the session healthy', (_, events, summary) => {
  expect(reportOf(...events, closed).verdict).toMatchObject({ kind: 'healthy', summary });
});

test.each([
  [1, null],
  [null, 'SIGKILL'],
])('the session has the end of its command: %s %s', (exitCode, signal) => {
  expect(reportOf(commandEnd(exitCode, signal), closed).session).toMatchObject({
    command: { exitCode, signal, timeUnixMs: at(19) },
    stopAskedUnixMs: null,
  });
});

test('no command, or one whose end is not recorded: null', () => {
  expect(reportOf(closed).session.command).toBeNull();
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s to the command', (signal) => {
  const end = commandEnd(null, signal);
  expect(reportOf(end, closed).verdict.kind).toBe('killed');
  const stopped = reportOf(end, closed, stopAsked);
  expect(stopped.session.stopAskedUnixMs).toBe(at(18));
  expect(stopped.deaths.map(({ pid, verdict }) => [pid, verdict])).toEqual([
    [50, 'exited'],
    [100, 'exited'],
  ]);
  expect(stopped.verdict.kind).toBe('healthy');
});

test('the stop excuses no SIGKILL and no crash of the command', () => {
  expect(reportOf(commandEnd(null, 'SIGKILL'), closed, stopAsked).verdict.kind).toBe('killed');
  expect(reportOf(commandEnd(null, 'SIGSEGV'), closed, stopAsked).verdict.kind).toBe('crash');
});

test('the browser that the command kills when it is asked to end was not killed from outside', () => {
  const killed = exitOf(browser, { signal: 'SIGKILL', source: 'connector' });
  const end = commandEnd(null, 'SIGINT');
  expect(reportOf(end, killed, stopAsked).verdict.kind).toBe('healthy');
  expect(reportOf(commandEnd(0, null), killed).verdict.kind).toBe('killed');
});

describe('a file without a sample', () => {
  const summaryOf = (facts: Partial<SessionFacts>, events: readonly RecordingEvent[] = []) => {
    const { verdict } = analyse(fakeRecording({ samples: [], events, facts }));
    expect(verdict.kind).toBe('unknown');
    return verdict.summary;
  };

  test('that was not closed: its newest ones are in the log beside it', () => {
    expect(summaryOf({ endedUnixMs: null, endReason: 'lost' })).toMatch(
      /^No sample is in this file: if it was copied from a running or crashed recorder, its newest samples are in fake.db-wal: copy both;/,
    );
  });

  test('that was closed or saved from a damaged one has no log', () => {
    expect(summaryOf({ endReason: 'command_exited' })).toBe('No sample is in this file.');
    const timeUnixMs = startUnixMs;
    const saved = { kind: 'note', timeUnixMs, code: 'salvaged', message: 'saved' } as const;
    expect(summaryOf({ endedUnixMs: null, endReason: 'lost' }, [saved])).toMatch(
      /^No sample is in this file: none was left in the damaged one that it was saved from;/,
    );
  });

  test('tells how the command ended', () => {
    const recording = fakeRecording({ samples: [], events: [commandEnd(0, null)] });
    expect(analyse(recording).session.command).toMatchObject({ exitCode: 0 });
  });
});
