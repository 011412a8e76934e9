import type { Recording } from '../../src/model/recording.ts';
import { type FakeRecordingParts, fakeRecording } from './fake-recording.ts';
import {
  fakeMachineFacts,
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from './fake-sample.ts';

/**
 * 100 s in a cgroup of 400 MiB, one sample each second, in round figures: a browser of 100 MiB that
 * stays, a renderer that grows by 2 MiB a second from 50 MiB and is killed by the kernel at second
 * 99.5, one gap of standby, one missed tick. Seconds are those of the monotonic clock.
 */
export function goldenRecording(): Recording {
  return fakeRecording(goldenParts());
}

/** What it is made of, to be written into a real file. */
export function goldenParts(): FakeRecordingParts {
  const samples = Array.from({ length: 101 }, (_, second) => {
    const isAlive = second < 100;
    const grownMib = isAlive ? 50 + 2 * second : 0;
    const usedMib = 140 + grownMib;
    const pssRead = second % 10 === 9;
    return fakeSample({
      second,
      // It slept for ten minutes before second 20.
      timeUnixMs: wallUnixMs(second),
      machine: { totalBytes: 8192 * mib, availableBytes: 7000 * mib },
      cgroup: {
        version: 2,
        path: '/session',
        limitBytes: 400 * mib,
        chargedBytes: (usedMib + 10) * mib,
        inactiveFileBytes: 10 * mib,
        peakBytes: isAlive ? (usedMib + 10) * mib : 400 * mib,
        oomKillCount: isAlive ? 0 : 1,
      },
      pressure: { memorySomeMs: 40 * second, memoryFullMs: 20 * second },
      activity: { oomKillCount: isAlive ? 7 : 8 },
      collector: {
        readMs: second === 50 ? 12.5 : 4,
        latenessMs: 2,
        missedTickCount: second < 30 ? 0 : 1,
        cpuMs: 500 + 10 * second,
        rssBytes: 45 * mib,
      },
      processes: [
        fakeProcess({
          pid: 100,
          role: 'browser',
          rssBytes: 180 * mib,
          anonBytes: 60 * mib,
          pssBytes: pssRead ? 100 * mib : null,
          pssEstimatedBytes: 100 * mib,
          cpuMs: 200 * second,
          command: '/usr/lib/chromium/chromium --headless --proxy-server=http://…@proxy:3128',
          oomScoreAdj: 0,
        }),
        ...(isAlive
          ? [
              fakeProcess({
                pid: 110,
                parentPid: 101,
                role: 'renderer',
                rssBytes: (80 + grownMib) * mib,
                anonBytes: grownMib * mib,
                pssBytes: pssRead ? (20 + grownMib) * mib : null,
                pssEstimatedBytes: (20 + grownMib) * mib,
                cpuMs: 100 * second,
                command: '/usr/lib/chromium/chromium --type=renderer --lang=en-US',
                oomScoreAdj: 300,
              }),
            ]
          : []),
        fakeProcess({ pid: 50, role: 'other', comm: 'node', rssBytes: 60 * mib }),
      ],
    });
  });
  const killUnixMs = wallUnixMs(99.5);
  return {
    samples,
    events: [
      {
        kind: 'gap',
        gap: 'standby',
        fromUnixMs: wallUnixMs(19),
        toUnixMs: wallUnixMs(20),
        timeUnixMs: wallUnixMs(20),
        wallMs: 601_000,
        monotonicMs: 1000,
      },
      {
        kind: 'note',
        timeUnixMs: wallUnixMs(0),
        code: 'source_unreadable',
        message: 'pressure/io: missing',
      },
      fakeOomKill({
        pid: 110,
        comm: 'chromium',
        timeUnixMs: killUnixMs,
        kmsgSequence: 1234,
        rssBytes: 330 * mib,
        cgroup: '/session',
        cgroupLimitBytes: 400 * mib,
      }),
      { kind: 'oom_counter', timeUnixMs: wallUnixMs(100), counter: 'machine', count: 1 },
      { kind: 'oom_counter', timeUnixMs: wallUnixMs(100), counter: 'cgroup', count: 1 },
      {
        kind: 'process_exit',
        timeUnixMs: wallUnixMs(100),
        pid: 110,
        startTicks: 1100,
        role: 'renderer',
        exitCode: null,
        signal: null,
        source: 'vanished',
      },
    ],
    facts: {
      labels: { suite: 'golden' },
      endedUnixMs: wallUnixMs(100),
      endReason: 'duration',
      machine: fakeMachineFacts({
        memoryTotalBytes: 8192 * mib,
        limitBytes: 400 * mib,
        limitSource: 'cgroup_v2',
        browserVersion: 'Chromium 156.0.8078.108',
      }),
    },
  };
}

function wallUnixMs(second: number): number {
  return startUnixMs + second * 1000 + (second < 20 ? 0 : 600_000);
}
