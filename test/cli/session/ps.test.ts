import { expect, test } from 'vitest';
import { asTree } from '../../../src/cli/session/ps.ts';
import { exitCodeOfRemote } from '../../../src/cli/session/remote-end.ts';
import { parsePs } from '../../../src/session/ps-listing.ts';

const process = (pid: number, parentPid: number | null) => ({
  pid,
  parentPid,
  processId: null,
  command: ['x'],
  state: 'running',
  residentBytes: null,
  exitCode: null,
  signal: null,
});

test('each is below its parent; one whose parent is not listed is at the left', () => {
  const rows = asTree([process(30, 20), process(20, 10), process(40, 10), process(31, 20)]);
  expect(rows.map(({ process: { pid }, depth }) => [pid, depth])).toEqual([
    [20, 0],
    [30, 1],
    [31, 1],
    [40, 0],
  ]);
});

test('a circle of parents loses nobody', () => {
  const rows = asTree([process(1, 2), process(2, 1), process(3, 3)]);
  expect(rows.map(({ process: { pid } }) => pid).sort()).toEqual([1, 2, 3]);
});

// As procps 4 prints it on Debian 12.
test('what ps prints', () => {
  const text =
    '      1       0 Ss     4480 /sbin/init a  b\n     77       1 Z         0 [sh] <defunct>\n';
  expect(parsePs(text)).toMatchObject([
    {
      pid: 1,
      parentPid: 0,
      state: 'running',
      residentBytes: 4_587_520,
      command: ['/sbin/init a  b'],
    },
    { pid: 77, parentPid: 1, state: 'zombie', residentBytes: 0 },
  ]);
});

// signal(7): KILL is 9, TERM 15.
test.each([
  [{ exitCode: 137, signal: null }, 137],
  [{ exitCode: null, signal: 'SIGKILL' }, 137],
  [{ exitCode: null, signal: 'SIGTERM' }, 143],
  [{ exitCode: null, signal: null }, 1],
])('%j exits with %i', (end, code) => {
  expect(exitCodeOfRemote(end)).toBe(code);
});
