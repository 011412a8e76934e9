import fs from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { recordingOfFrames } from '../../../src/attach/light/light-recording.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import {
  frameText,
  latin1,
  machineLines,
  segmentText,
  statLine,
} from '../../support/light-frames.ts';

const folder = temporaryFolder();
const out = folder.file('task.db');
const second = (n: number) => 100_000 + 1_000 * n;

afterEach(() => {
  for (const name of fs.readdirSync(folder.path)) fs.rmSync(folder.file(name));
});

/** A file of frames of one sampler, a second apart; each file begins with all there is. */
function segment(numbers: readonly number[], pid = 70, log: readonly string[] = []): string {
  const frames = numbers.map((n, at) => {
    const [kind, lines] =
      at === 0
        ? ['K', [...machineLines, ...statLine(300, 'node'), ...log]]
        : ['D', ['vmstat:pgmajfault 4']];
    return frameText(`${n} ${kind} ${second(n)} ${second(n) - 1_000}`, lines as string[]);
  });
  return segmentText(undefined, pid) + frames.join('');
}

/** What a pull makes of the files that are left in the session at that moment. */
async function pull(...segments: string[]): Promise<void> {
  const fetched = folder.file('fetched');
  fs.writeFileSync(fetched, latin1(segments.join('')));
  await recordingOfFrames(fetched, out);
}

function pulled() {
  using recording = openRecording(out);
  const ticks = [...recording.ticks()];
  const events = recording.events();
  return {
    times: ticks.map(({ timeUnixMs }) => timeUnixMs),
    sequences: ticks.map(({ sequence }) => sequence),
    missed: ticks.at(-1)?.collector.missedTickCount,
    gaps: events.flatMap((event) => (event.kind === 'gap' ? event.gap : [])),
    noteCount: events.filter(({ kind }) => kind === 'note').length,
    processes: recording.processes().map(({ pid, comm }) => ({ pid, comm })),
    startedUnixMs: recording.facts.startedUnixMs,
    endReason: recording.facts.endReason,
  };
}

const [a, b, c, d] = [
  [1, 2, 3],
  [4, 5, 6],
  [7, 8, 9],
  [12, 13],
].map((numbers) => segment(numbers)) as [string, string, string, string];

test('what an earlier pull brought home stays when its frames are gone from the session', async () => {
  await pull(a, b);
  // The first file is gone, and there is a new one.
  await pull(b, c);
  const nine = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  expect(pulled()).toEqual({
    times: nine.map(second),
    sequences: nine,
    missed: 0,
    gaps: [],
    noteCount: 1,
    processes: [{ pid: 300, comm: 'node' }],
    startedUnixMs: second(1),
    endReason: 'copied',
  });
  // Nothing new, then: all that is left begins where nothing was fetched.
  await pull(c);
  expect(pulled().sequences).toEqual(nine);
  await pull(d);
  expect(pulled()).toMatchObject({
    times: [...nine, 12, 13].map(second),
    gaps: ['restart'],
    missed: 0,
    startedUnixMs: second(1),
  });
});

test('while all frames are there it is made of them alone, whatever was fetched before', async () => {
  await pull(a);
  await pull(a, b);
  expect(pulled()).toMatchObject({ sequences: [1, 2, 3, 4, 5, 6], gaps: [], noteCount: 1 });
});

test('a sampler that was started again in between goes on in what was fetched', async () => {
  await pull(a, b);
  await pull(b, segment([10, 11], 71));
  expect(pulled()).toMatchObject({
    times: [1, 2, 3, 4, 5, 6, 10, 11].map(second),
    gaps: ['restart'],
    noteCount: 2,
  });
});

/** A kill as the kernel's log has it, at a time of the kernel. */
function killLine(sequence: number, kernelMs: number): string {
  return `kmsg:3,${sequence},${kernelMs * 1_000},-;Out of memory: Killed process ${sequence} (x) total-vm:8kB, anon-rss:4kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0`;
}

test('a sampler that is started again finds all kills in the log: each is once, and only what was before the first is older', async () => {
  const [older, seen] = [killLine(5, 50_000), killLine(10, 101_500)];
  // Its clock is a second behind, and the second sampler begins at 104,000 ms.
  const first = segment([1], 70, [older]) + frameText(`3 D ${second(3)} ${second(2)}`, [seen]);
  await pull(first, segment([5, 6], 71, [older, seen, killLine(12, 103_500)]));
  using recording = openRecording(out);
  const kills = recording.events().filter((event) => event.kind === 'oom_kill');
  expect(kills.map(({ pid, beforeStart }) => [pid, beforeStart])).toEqual([
    [5, true],
    [10, false],
    [12, false],
  ]);
});
