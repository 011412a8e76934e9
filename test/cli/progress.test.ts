import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ProgressLine } from '../../src/cli/progress.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

function io(columns: number) {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns });
  const signal = new AbortController().signal;
  return { stdout: stderr, stderr, env: {}, signal, hurry: signal };
}

/** What is shown after a sample; the line before is wiped out. */
function shown(stderr: PassThrough): string {
  return String(stderr.read()).split('\r\u001b[K').at(-1) ?? '';
}

const machine = { totalBytes: 4096 * mib, availableBytes: 2048 * mib };

test.each([
  [80, 'recording  0 s of 1 min  available 2.00 GiB of 4.00 GiB  no browser yet'],
  [72, 'recording  0 s of 1 min  available 2.00 GiB of 4.00 GiB  no browser yet'],
  [71, '0 s of 1 min  available 2.00 GiB of 4.00 GiB  no browser yet'],
  [61, '0 s of 1 min  available 2.00 GiB of 4.00 GiB  no browser yet'],
  [60, '0 s of 1 min  2.00 GiB of 4.00 GiB left  no browser yet'],
  [56, '0 s of 1 min  2.00 GiB of 4.00 GiB left  no browser yet'],
  [55, '0 s  2.00 GiB left  no browser yet'],
  [35, '0 s  2.00 GiB left  no browser yet'],
  [34, '0 s  2.00 GiB left'],
  [21, '0 s  2.00 GiB left'],
  [10, '0 s  2.00 GiB left'],
])('%d columns: the longest wording that fits whole', (columns, text) => {
  const terminal = io(columns);
  const progress = new ProgressLine(terminal, { durationMs: 60_000, quiet: false });
  progress.update(fakeSample({ second: 0, machine }));
  expect(shown(terminal.stderr)).toBe(text);
});

test('a browser, after a while, on 40, 80 and 100 columns', () => {
  const renderer = { role: 'renderer', pid: 100, anonBytes: 551 * mib, shmemBytes: 0 } as const;
  const sample = { machine, processes: [fakeProcess(renderer)] };
  const lines = [40, 80, 100].map((columns) => {
    const terminal = io(columns);
    const progress = new ProgressLine(terminal, { durationMs: null, quiet: false });
    progress.update(fakeSample({ second: 0, ...sample }));
    // A wall clock that is set does not make the recording longer.
    progress.update(fakeSample({ second: 75, timeUnixMs: startUnixMs + 9e6, ...sample }));
    return shown(terminal.stderr);
  });
  expect(lines).toEqual([
    '1 min 15 s  2.00 GiB left',
    '1 min 15 s  available 2.00 GiB of 4.00 GiB  browser 551 MiB',
    'recording  1 min 15 s  available 2.00 GiB of 4.00 GiB  browser 551 MiB in 1 process',
  ]);
});
