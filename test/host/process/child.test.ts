import { expect, test } from 'vitest';
import { startChild } from '../../../src/host/process/child.ts';

// MAX_ARG_STRLEN of Linux (execve(2)): 32 pages, 128 KiB where a page is 4 KiB, 2 MiB where it is 64.
const tooLong = 'x'.repeat(2 * 2 ** 20);

test.each([
  ['argument', { line: ['/bin/true', tooLong] as const, env: {} }],
  ['variable', { line: ['/bin/true'] as const, env: { A: tooLong } }],
])("an %s that is longer than the kernel takes is the client's mistake", async (_, line) => {
  await expect(startChild(line)).rejects.toMatchObject({
    status: 400,
    message: 'fork/exec: argument list too long',
  });
});
