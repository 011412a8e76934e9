import { expect, test } from 'vitest';
import { requireRootProcess } from '../../src/collector/root-process.ts';
import { FakeProc } from '../support/fake-proc.ts';

const proc = new FakeProc();
proc.start(2, { comm: 'kthreadd', isKernelThread: true });
proc.start(100, {
  comm: 'chromium',
  files: { status: 'Name:\tchromium\nTgid:\t100\nPid:\t100\n' },
});
// Found by its number, though no listing has it.
proc.start(101, { comm: 'Thread', files: { status: 'Name:\tThread\nTgid:\t100\nPid:\t101\n' } });
proc.start(200, { comm: 'sleep' });
proc.becomeZombie(200);

function codeOf(pid: number): unknown {
  try {
    requireRootProcess(pid, proc.procFs);
    return null;
  } catch (error) {
    return error;
  }
}

test.each<[number, string, string]>([
  [2, 'PROCESS_NOT_RECORDABLE', '--pid 2: kthreadd is a thread of the kernel'],
  [101, 'PROCESS_NOT_RECORDABLE', '--pid 101: is a thread of pid 100'],
  [
    200,
    'PROCESS_NOT_RECORDABLE',
    '--pid 200: sleep has ended, and its parent has not waited for it (a zombie)',
  ],
  [300, 'PROCESS_NOT_FOUND', '--pid 300: no such process'],
])('pid %i is refused: %s', (pid, code, message) => {
  expect(codeOf(pid)).toMatchObject({ code, message, hint: expect.stringContaining('pgrep') });
});

test('a process that runs', () => {
  expect(codeOf(100)).toBeNull();
});
