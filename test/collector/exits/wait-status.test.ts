import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { decodeWaitStatus } from '../../../src/collector/exits/wait-status.ts';

// Statuses as wait(2) lays them out: exit code << 8, signal, 0x80 with a core dump.
test.each([
  [0, { exitCode: 0, signal: null }],
  [0x0300, { exitCode: 3, signal: null }],
  [0x8900, { exitCode: 137, signal: null }],
  [0xff00, { exitCode: 255, signal: null }],
  [9, { exitCode: null, signal: 'SIGKILL' }],
  [5, { exitCode: null, signal: 'SIGTRAP' }],
  [0x80 | 11, { exitCode: null, signal: 'SIGSEGV' }],
  [0x80 | 6, { exitCode: null, signal: 'SIGABRT' }],
  [40, { exitCode: null, signal: 'SIG40' }],
])('wait status %d', (status, end) => {
  expect(decodeWaitStatus(status)).toEqual(end);
});

describe('the kernel agrees', () => {
  // perl gives the wait status as it is in $?; node takes it apart itself.
  test.each(['exit 0', 'exit 3', 'exit 137', 'kill -9 $$', 'kill -TERM $$', 'kill -TRAP $$'])(
    '%s',
    (command) => {
      const script = 'system "sh", "-c", $ARGV[0]; print $?';
      const status = execFileSync('perl', ['-e', script, command], { encoding: 'utf8' });
      const { status: exitCode, signal } = spawnSync('sh', ['-c', command]);
      expect(decodeWaitStatus(Number(status))).toEqual({ exitCode, signal });
    },
  );
});
