import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameReader } from '../../../src/collector/light/frame-reader.ts';
import type { ReplayedSample } from '../../../src/collector/light/light-replay.ts';
import {
  frameText,
  latin1,
  lightHead,
  machineLines,
  samplesOf,
  segmentText,
  statLine,
} from '../../support/light-frames.ts';

const chromium = [
  ...statLine(200, 'chromium', { rss: 50_000 }),
  '200/cmdline:/usr/lib/chromium/chromium\0--headless=new\0',
  '200/exe:/usr/lib/chromium/chromium',
  '200/statm:90000 52000 30000',
  '200/status:VmHWM: 240000 kB',
  '200/status:RssShmem: 4000 kB',
  '200/status:VmSwap: 0 kB',
];
const key = (sequence: number, wallMs: number, more: readonly string[] = []) =>
  frameText(`${sequence} K ${wallMs} ${wallMs - 1_000}`, [
    ...machineLines,
    ...statLine(70, 'perl'),
    ...statLine(300, 'node'),
    ...chromium,
    ...more,
  ]);

const replayed = (text: string) => samplesOf(latin1(text));
const only = ({ sample }: ReplayedSample) => ({
  at: sample.timeUnixMs,
  machine: sample.machine,
  browser: { ...sample.browser, pssEstimatedBytes: null },
  processes: sample.processes.map(({ pid, comm, rssBytes, cpuMs, startTicks }) => ({
    pid,
    comm,
    rssBytes,
    cpuMs,
    startTicks,
  })),
});

describe('samples out of frames', () => {
  test('the first one, by the sizes of the machine that it was taken on', async () => {
    const [first] = await replayed(segmentText() + key(1, 100_000));
    expect(first?.sample).toMatchObject({
      sequence: 1,
      timeUnixMs: 100_000,
      monotonicMs: 99_000,
      intervalMs: 1_000,
      // 400000 kB
      machine: { totalBytes: 2 ** 30, freeBytes: 409_600_000, zramBytes: null, anonBytes: null },
      cgroup: null,
      activity: { cpuUserMs: 1_000, cpuSystemMs: 500, forkCount: 4_000, majorFaultCount: 3 },
      // 52000 pages; 22000 of them its own, and 4000 kB of shared memory
      browser: { processCount: 1, rssSumBytes: 212_992_000, unreclaimableBytes: 94_208_000 },
      collector: { pid: 70, readMs: 4, cpuMs: 300, rssBytes: 2_048_000, missedTickCount: 0 },
    });
    expect(first?.sample.processes.find(({ pid }) => pid === 200)).toMatchObject({
      comm: 'chromium',
      executable: 'chromium',
      role: 'browser',
      startTicks: 2_000,
      threadCount: 3,
      majorFaultCount: 7,
      swapBytes: 0,
      peakRssBytes: 245_760_000,
      pssBytes: null,
      command: '/usr/lib/chromium/chromium --headless=new',
    });
  });

  test('what changed, what ended, and PSS in the sample in which it was read', async () => {
    const samples = await replayed(
      segmentText() +
        key(1, 100_000) +
        frameText('2 D 101000 100000', [
          'meminfo:MemFree: 300000 kB',
          '200 R 9 40 10 5 51000 91000 53000 30000',
          '-300',
          '200/smaps_rollup:Pss: 150000 kB',
          '200/smaps_rollup:Pss_Anon: 90000 kB',
        ]) +
        frameText('3 D 102000 101000', ['vmstat:oom_kill 2']),
    );
    expect(samples[1]?.sample).toMatchObject({
      machine: { freeBytes: 307_200_000, availableBytes: 614_400_000 },
      browser: { processCount: 1, rssSumBytes: 217_088_000, pssEstimatedBytes: 153_600_000 },
    });
    const reading = samples[1]?.sample.processes.find(({ pid }) => pid === 200);
    expect(reading).toMatchObject({
      state: 'R',
      cpuMs: 500,
      threadCount: 5,
      majorFaultCount: 9,
      rssBytes: 217_088_000,
      anonBytes: 94_208_000,
      pssBytes: 153_600_000,
    });
    expect(samples[1]?.sample.processes.map(({ pid }) => pid).sort()).toEqual([200, 70]);
    expect(samples[2]?.sample.processes.find(({ pid }) => pid === 200)?.pssBytes).toBeNull();
    expect(samples[2]?.events).toEqual([
      { kind: 'oom_counter', timeUnixMs: 102_000, counter: 'machine', count: 2 },
    ]);
  });

  test.each([
    ['a) R 1 (b', 'a) R 1 (b'],
    [')))) Z 9 9', ')))) Z 9 9'],
    ['x\n1 (y) S 0', 'x\\x0a1 (y) S 0'],
    ['\nE 1 9 -\n-200\n', '\\x0aE 1 9 -\\x0a-200\\x0a'],
    ['F 9 K - -', 'F 9 K - -'],
    ['200 R 1 1 1 1 1', '200 R 1 1 1 1 1'],
  ])('a process with the name %j is that process', async (comm, shown) => {
    const [first] = await replayed(segmentText() + key(1, 100_000, statLine(7, comm)));
    expect(first?.sample.processes.find(({ pid }) => pid === 7)).toMatchObject({
      comm: shown,
      parentPid: 1,
      startTicks: 70,
      rssBytes: 2_048_000,
    });
    expect(first?.sample.processes).toHaveLength(4);
  });

  test('a pid that is another process by now has nothing of the one before', async () => {
    const samples = await replayed(
      segmentText() +
        key(1, 100_000) +
        frameText('2 D 101000 100000', ['-200', ...statLine(200, 'cat', { start: 9_000, rss: 9 })]),
    );
    expect(samples[1]?.sample.processes.find(({ pid }) => pid === 200)).toMatchObject({
      comm: 'cat',
      role: 'other',
      command: null,
      rssBytes: 36_864,
    });
    expect(samples[1]?.events).toMatchObject([{ kind: 'process_exit', pid: 200, role: 'browser' }]);
  });

  test('a shell names all in each frame, and holds no NUL; the kernel tells the time', async () => {
    const head = { ...lightHead, sampler: 'shell' as const };
    const all = [...machineLines, ...statLine(70, 'sh'), ...statLine(200, 'chromium')];
    const command = '200/cmdline:/usr/lib/chromium/chromium\u0001--headless=new\u0001';
    const samples = await replayed(
      segmentText(head) +
        frameText('1 K - -', [...all, ...statLine(300, 'node'), '200/statm:9 8 7', command], '-') +
        frameText('2 D - -', [...all, '200/statm:9 8 7', 'uptime:3001.25 99.00'], '-'),
    );
    expect(samples.map(({ sample }) => sample.timeUnixMs)).toEqual([
      1_790_003_000_000, 1_790_003_001_250,
    ]);
    expect(samples[1]?.sample.processes.map(({ pid }) => pid).sort()).toEqual([200, 70]);
    expect(samples[1]?.sample).toMatchObject({ browser: { processCount: 1, rssSumBytes: 32_768 } });
    expect(samples[1]?.sample.collector.readMs).toBeNull();
    expect(samples[0]?.events).toMatchObject([{ kind: 'note', code: 'kmsg_unavailable' }]);
  });

  test('kills out of the kernel log, and a log that cannot be read', async () => {
    const kill =
      'kmsg:3,73548,98500000,-;Out of memory: Killed process 200 (chromium) total-vm:35476kB, anon-rss:32512kB, file-rss:1552kB, shmem-rss:0kB, UID:0 pgtables:108kB oom_score_adj:300';
    const told = await replayed(
      segmentText() + key(1, 100_000) + frameText('2 D! 101000 100000', [kill]),
    );
    expect(told[1]?.events).toMatchObject([
      { kind: 'oom_kill', pid: 200, comm: 'chromium', anonBytes: 33_292_288, oomScoreAdj: 300 },
    ]);
    const [denied] = await replayed(segmentText() + key(1, 100_000, ['kmsg-error:1']));
    expect(denied?.events).toMatchObject([
      { code: 'kmsg_unavailable', message: expect.stringContaining('EPERM') },
    ]);
  });

  test('frames that are missing are a gap of what was lost, a late one is a stall', async () => {
    const lost = await replayed(segmentText() + key(1, 100_000) + key(31, 130_000));
    expect(lost[1]?.events).toMatchObject([{ kind: 'gap', gap: 'lost', wallMs: 30_000 }]);
    expect(lost[1]?.sample.collector.missedTickCount).toBe(29);
    const late = await replayed(segmentText() + key(1, 100_000) + key(2, 130_000));
    expect(late[1]?.events).toMatchObject([{ kind: 'gap', gap: 'stall' }]);
  });
});

describe('frames that are cut', () => {
  const text =
    segmentText() +
    key(1, 100_000) +
    frameText('2 D 101000 100000', ['meminfo:MemFree: 300000 kB', ...statLine(7, 'x\n)y')]) +
    frameText('3 D 102000 101000', ['200 R 9 40 10 5 51000 91000 53000 30000', '-300']) +
    key(4, 103_000) +
    frameText('5 D! 104000 103000', ['meminfo:MemFree: 200000 kB', '-200']);

  test('at any byte are those before it, and no other', () => {
    const whole = [...new FrameReader().read(latin1(text))];
    expect(whole).toHaveLength(5);
    for (let length = 0; length <= text.length; length++) {
      const frames = [...new FrameReader().read(latin1(text.slice(0, length)))];
      expect(frames).toEqual(whole.slice(0, frames.length));
    }
  });

  test('with any part missing never give a wrong figure', async () => {
    const byTime = new Map((await replayed(text)).map(only).map((each) => [each.at, each]));
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length), fc.nat(text.length), async (from, length) => {
        const left = text.slice(0, from) + text.slice(from + length);
        for (const sample of (await replayed(left)).map(only)) {
          expect(sample).toEqual(byTime.get(sample.at));
        }
      }),
      // The same cuts each time: a few bytes taken out of the numbers of a frame's own first or last line
      // are beyond what its length can tell. Files are fetched with a checksum.
      { numRuns: 100, seed: 20_261_130 },
    );
  });
});
