import type { OomCounterJump, RecordingEvent } from '../../src/model/event.ts';
import type { Sample } from '../../src/model/sample.ts';
import { fakeFacts, fakeMachineFacts, fakeOomKill, fakeSample, mib } from './fake-sample.ts';
import { recordSamples, running } from './record-samples.ts';

/** 2026-11-29T14:50:00Z: a session of more than ten minutes is in two hours of the clock. */
const startUnixMs = 1_795_963_800_000;

interface KnownSession {
  id: string;
  labels: Readonly<Record<string, string>>;
  limitMib: number;
  /** Of the working set, one each second. */
  usedMib: readonly number[];
  events?: readonly RecordingEvent[];
}

/**
 * Sessions of which every percentile can be told by hand. Checkout: 101, 102 … 500 MiB, a second of
 * each, in two sessions of version 1 and 2. Search: a second of each of 1 … 1000 MiB, in one session
 * that is shuffled over two hours of the clock.
 */
export const knownSessions: readonly KnownSession[] = [
  {
    id: 'checkout-1',
    labels: { workload: 'checkout', version: '1' },
    limitMib: 1024,
    usedMib: upwards(101, 200),
    // Of the time before the recording: no kill of this session.
    events: [{ ...fakeOomKill({ pid: 7, comm: 'old' }), beforeStart: true }],
  },
  {
    id: 'checkout-2',
    labels: { workload: 'checkout', version: '2' },
    limitMib: 512,
    usedMib: upwards(201, 500),
    events: [
      fakeOomKill({ pid: 110, comm: 'chromium', timeUnixMs: startUnixMs }),
      fakeOomKill({ pid: 111, comm: 'chromium', timeUnixMs: startUnixMs }),
    ],
  },
  {
    id: 'search-1',
    labels: { workload: 'search', version: '2' },
    limitMib: 1024,
    // 7 and 1000 have no common factor: each number once.
    usedMib: upwards(1, 1000).map((number) => ((number * 7) % 1000) + 1),
    events: [counterJump(startUnixMs)],
  },
  { id: 'no-label', labels: {}, limitMib: 1024, usedMib: [50] },
];

/** Writes them into files of their own in a folder; their paths. */
export function recordKnownFleet(folder: { file(name: string): string }): string[] {
  return knownSessions.map((session) => {
    const file = folder.file(`${session.id}.db`);
    const machine = fakeMachineFacts({ limitBytes: session.limitMib * mib });
    const { id, labels } = session;
    recordSamples(file, samplesOf(session), {
      facts: { ...running, ...fakeFacts({ id, labels, machine, startedUnixMs: startUnixMs }) },
      events: session.events ?? [],
    });
    return file;
  });
}

function samplesOf({ limitMib, usedMib }: KnownSession): Sample[] {
  return usedMib.map((used, second) =>
    fakeSample({
      second,
      timeUnixMs: startUnixMs + second * 1000,
      machine: {
        totalBytes: limitMib * mib,
        freeBytes: (limitMib - used) * mib,
        availableBytes: (limitMib - used) * mib,
        inactiveFileBytes: 0,
      },
      // The first half of the seconds without a browser: a distribution with zeros.
      browser: { rssSumBytes: second < usedMib.length / 2 ? 0 : used * mib },
    }),
  );
}

function upwards(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function counterJump(timeUnixMs: number): OomCounterJump {
  return { kind: 'oom_counter', timeUnixMs, counter: 'cgroup', count: 1 };
}
