import type { RecordingEvent } from '../../src/model/event.ts';
import type { Sample } from '../../src/model/sample.ts';
import type { SessionFacts } from '../../src/model/session.ts';
import {
  fakeFacts,
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from './fake-sample.ts';

/**
 * What `test/fixtures/store/format-1.db` was made from, by Headroom 0.1.0 of 29 November 2026
 * (commit 0cee087): 130 seconds, a stall of ten, and one more process from the 40th on.
 */
export const format1Facts: SessionFacts = fakeFacts({
  labels: { suite: 'format-1' },
  endedUnixMs: startUnixMs + 140_000,
  endReason: 'signal',
});

export const format1Cursor = {
  target: 'http://localhost:4318/v1/metrics',
  sequence: 70,
  timeUnixMs: startUnixMs + 69_000,
  sentCount: 1234,
  droppedCount: 5,
  rejectedCount: 6,
  detail: '{"closed":[]}',
};

export function format1Samples(): Sample[] {
  return Array.from({ length: 130 }, (_, at) => {
    const second = at < 100 ? at : at + 10;
    return fakeSample({
      second,
      sequence: at + 1,
      machine: {
        totalBytes: 1024 * mib,
        freeBytes: (700 - at) * mib,
        availableBytes: (800 - at) * mib,
        inactiveFileBytes: 60 * mib,
        swapTotalBytes: 0,
      },
      cgroup: {
        version: 2,
        path: '/s',
        limitBytes: 512 * mib,
        chargedBytes: (200 + at) * mib,
        inactiveFileBytes: 0,
      },
      collector: { readMs: 3.25, cpuMs: 10 * at },
      processes: processesAt(at),
    });
  });
}

function processesAt(at: number) {
  const browser = fakeProcess({
    pid: 100,
    role: 'browser',
    rssBytes: (90 + (at % 7)) * mib,
    anonBytes: (40 + (at % 7)) * mib,
    shmemBytes: 3 * mib,
    swapBytes: 0,
    pssBytes: at % 30 === 0 ? (60 + (at % 7)) * mib + 1024 : null,
    pssEstimatedBytes: (60 + (at % 7)) * mib + 1024,
    pssAnonBytes: at % 30 === 0 ? 39 * mib : null,
    pssShmemBytes: at % 30 === 0 ? 1024 * 1023 : null,
    peakRssBytes: 99 * mib,
    cpuMs: 30 * at,
    command: '/usr/bin/chromium',
    cgroup: '/s',
    oomScoreAdj: 0,
    descriptorCount: 77,
    readBytes: 4096,
    writtenBytes: 0,
  });
  const stranger = fakeProcess({ pid: 7, role: 'other', rssBytes: 5 * mib, state: 'R' });
  if (at < 40) return [browser, stranger];
  const renderer = fakeProcess({ pid: 140, role: 'renderer', rssBytes: at * mib, command: 'r' });
  return at < 120 ? [browser, stranger, renderer] : [browser, renderer];
}

/** By the sample with which they are told. */
export const format1Events: ReadonlyMap<number, readonly RecordingEvent[]> = new Map([
  [1, [fakeOomKill({ pid: 9, comm: 'old', beforeStart: true })]],
  [
    101,
    [
      {
        kind: 'gap',
        gap: 'stall',
        fromUnixMs: startUnixMs + 99_000,
        toUnixMs: startUnixMs + 110_000,
        timeUnixMs: startUnixMs + 110_000,
        wallMs: 11_000,
        monotonicMs: 11_000,
      },
    ],
  ],
  [
    121,
    [
      {
        kind: 'process_exit',
        timeUnixMs: startUnixMs + 130_000,
        pid: 7,
        startTicks: 70,
        role: 'other',
        exitCode: null,
        signal: 'SIGKILL',
        source: 'connector',
      },
    ],
  ],
]);
