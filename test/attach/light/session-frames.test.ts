import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SessionFrames } from '../../../src/attach/light/session-frames.ts';
import { localSession } from '../../../src/session/local.ts';

/** Of this process, by the kernel: fields 20 and 22 of its stat line. */
function ownStat(): { threadCount: number; startTicks: number } {
  const fields = readFileSync('/proc/self/stat', 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  return { threadCount: Number(fields[17]), startTicks: Number(fields[19]) };
}

test('a session is read by one command after the other: its memory, and its processes', async () => {
  const session = localSession();
  const frames = await SessionFrames.open(session, 2_000);
  const first = await frames.next();
  const second = await frames.next();
  const { startTicks } = ownStat();
  const totalKib = Number(/MemTotal: +(\d+)/.exec(readFileSync('/proc/meminfo', 'latin1'))?.[1]);
  for (const replayed of [first, second]) {
    expect(replayed?.sample.machine.totalBytes).toBe(totalKib * 1024);
    expect(replayed?.sample.processes).toContainEqual(
      expect.objectContaining({
        pid: process.pid,
        startTicks,
        command: expect.stringContaining('node'),
        rssBytes: expect.any(Number),
      }),
    );
  }
  // Its clock is the kernel's own file.
  const [from, to] = [first?.sample.monotonicMs, second?.sample.monotonicMs];
  expect(to).toBeGreaterThanOrEqual(from ?? Number.NaN);
  expect(second?.sample.sequence).toBe(2);
});
