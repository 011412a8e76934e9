import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { Note, ProcessExit } from '../../src/model/event.ts';
import { renderText } from '../../src/report/text.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

const root = fakeProcess({ pid: 4120, role: 'other', comm: 'node', browserPid: 4120 });
const note: Note = {
  kind: 'note',
  timeUnixMs: startUnixMs,
  code: 'root_process',
  message: 'pid 4120 and its descendants are recorded',
};

/** Twenty seconds; the process is there up to second `until`. */
function reportOf(until: number, exit: Partial<ProcessExit> | null = null) {
  const samples = Array.from({ length: 20 }, (_, second) =>
    fakeSample({
      second,
      machine: { availableBytes: 512 * mib },
      activity: { oomKillCount: 0 },
      processes: second <= until ? [root] : [],
    }),
  );
  const ended: ProcessExit[] =
    exit === null
      ? []
      : [
          {
            kind: 'process_exit',
            timeUnixMs: startUnixMs + (until + 1) * 1000,
            pid: 4120,
            startTicks: 41_200,
            role: 'other',
            exitCode: null,
            signal: null,
            source: 'connector',
            ...exit,
          },
        ];
  return analyse(fakeRecording({ samples, events: [note, ...ended] }));
}

/** The text without its line ends. */
const words = (report: ReturnType<typeof reportOf>) => renderText(report).replaceAll(/\s+/g, ' ');

test('it lives', () => {
  const report = reportOf(19);
  expect(report.session.root).toEqual({
    pid: 4120,
    comm: 'node',
    endedUnixMs: null,
    exitCode: null,
    signal: null,
  });
  expect(words(report)).toContain('of pid 4120 (node) and its descendants Timeline');
  expect(report.notes).toEqual([]);
});

test.each([
  [{ exitCode: 0 }, 'exit code 0'],
  [{ exitCode: 3 }, 'exit code 3'],
])('it ended with %j', (exit, how) => {
  const report = reportOf(9, exit);
  expect(report.verdict.kind).toBe('healthy');
  expect(report.verdict.summary).toMatch(
    new RegExp(`^node \\(pid 4120\\) ended at 2026-11-29T14:00:10Z with ${how}; no memory problem`),
  );
  expect(words(report)).toContain(`its descendants; it ended at 2026-11-29T14:00:10Z (${how})`);
});

test('it was killed: the verdict says so', () => {
  const report = reportOf(9, { signal: 'SIGKILL' });
  expect(report.verdict.kind).toBe('killed');
  expect(report.verdict.summary).toContain('node (pid 4120) was ended from outside with SIGKILL');
  expect(report.session.root).toMatchObject({ signal: 'SIGKILL' });
});

test('it is gone, and nobody knows how', () => {
  const report = reportOf(15);
  expect(report.verdict.kind).toBe('unknown');
  expect(report.verdict.summary).toContain('node (pid 4120) ended at');
  expect(words(report)).toContain('it ended at 2026-11-29T14:00:16Z, and how is not recorded');
});
