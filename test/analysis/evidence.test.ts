import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

test('what could be used of the lowest headroom is told of what it is a part of', () => {
  const sample = fakeSample({
    second: 0,
    machine: { totalBytes: 8192 * mib, availableBytes: 7000 * mib },
    cgroup: {
      version: 2,
      limitBytes: 1024 * mib,
      chargedBytes: 1000 * mib,
      inactiveFileBytes: 10 * mib,
      anonBytes: 800 * mib,
      shmemBytes: 100 * mib,
      kernelBytes: 20 * mib,
    },
    processes: [
      fakeProcess({
        pid: 100,
        role: 'browser',
        pssBytes: 170 * mib,
        pssAnonBytes: 100 * mib,
        pssShmemBytes: 10 * mib,
      }),
    ],
  });
  // By hand: 1024 - 990 MiB; 1024 - 920 MiB, of which 60 MiB are files that the browser maps.
  expect(analyse(fakeRecording({ samples: [sample] })).verdict.evidence).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^lowest headroom 34\.0 MiB \(3\.3 %\) at /),
      'then 104 MiB was left with file cache counted as free, and about 44.0 MiB of it could be used: 60.0 MiB held the program that the browser runs on (estimated by PSS)',
    ]),
  );
});

test('a renderer that ended beside a kill without a record may be the one that was killed', () => {
  const browser = fakeProcess({ pid: 100, role: 'browser' });
  const evidenceWith = (oomKillCount: number) => {
    const renderer = fakeProcess({ pid: 101, role: 'renderer' });
    const samples = [
      fakeSample({ second: 0, activity: { oomKillCount: 0 }, processes: [browser, renderer] }),
      fakeSample({ second: 1, activity: { oomKillCount }, processes: [browser] }),
    ];
    const timeUnixMs = startUnixMs + 1_000;
    const counter = { kind: 'oom_counter', timeUnixMs, counter: 'machine', count: 1 } as const;
    const events = oomKillCount === 0 ? [] : [counter];
    return analyse(fakeRecording({ samples, events })).verdict.evidence;
  };
  expect(evidenceWith(0)).toContain(
    '1 renderer ended with no OOM kill known of it, as when a tab is closed',
  );
  expect(evidenceWith(1)).toContain(
    '1 renderer ended, by an OOM kill without a record or as when a tab is closed',
  );
});
