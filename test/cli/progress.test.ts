import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ProgressLine } from '../../src/cli/progress.ts';
import { fakeSample, mib } from '../support/fake-sample.ts';

function line(columns: number): string {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns });
  const io = {
    stdout: stderr,
    stderr,
    env: {},
    signal: new AbortController().signal,
    hurry: new AbortController().signal,
  };
  const machine = { totalBytes: 4096 * mib, availableBytes: 2048 * mib };
  new ProgressLine(io, { durationMs: 60_000, quiet: false }).update(
    fakeSample({ second: 0, machine }),
  );
  return String(stderr.read()).replace('\r\u001b[K', '');
}

test.each([
  [80, 'recording  0 s of 60 s  available 2048 of 4096 MiB  no browser yet'],
  [67, 'recording  0 s of 60 s  available 2048 of 4096 MiB  no browser yet'],
  [66, 'recording  0 s of 60 s  available 2048 of 4096 MiB'],
  [51, 'recording  0 s of 60 s  available 2048 of 4096 MiB'],
  [50, 'recording  0 s of 60 s'],
  [40, 'recording  0 s of 60 s'],
])('%d columns: as many parts as fit whole', (columns, text) => {
  expect(line(columns)).toBe(text);
});
