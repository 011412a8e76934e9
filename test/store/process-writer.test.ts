import { describe, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { recordSamples } from '../support/record-samples.ts';

describe('processes', () => {
  const renderer = (rssMib: number, cpuMs = 0) =>
    fakeProcess({ pid: 101, role: 'renderer', rssBytes: rssMib * mib, cpuMs });

  test('have a row when something changed, at first and at last sight, and every 60 ticks', () => {
    using folder = temporaryFolder();
    const rss = [50, 50, 50, 60, 60, 60];
    const samples = Array.from({ length: 130 }, (_, second) =>
      fakeSample({
        second,
        processes: second < 125 ? [renderer(rss[second] ?? 60, second === 124 ? 40 : 0)] : [],
      }),
    );
    recordSamples(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    const rows = [...recording.processSamples()];
    const seconds = rows.map(({ timeUnixMs }) => (timeUnixMs - startUnixMs) / 1000);
    // The first heartbeat comes early, by the number of the process: 1 + 1 behind the first row.
    expect(seconds).toEqual([0, 2, 3, 63, 123, 124]);
    expect(rows.map(({ rssBytes }) => (rssBytes ?? 0) / mib)).toEqual([50, 50, 60, 60, 60, 60]);
    expect(recording.processes()).toEqual([
      {
        process: 1,
        pid: 101,
        startTicks: 1010,
        parentPid: 1,
        comm: 'chromium',
        executable: 'chromium',
        role: 'renderer',
        browserPid: 100,
        firstUnixMs: startUnixMs,
        lastUnixMs: startUnixMs + 124_000,
        endedUnixMs: startUnixMs + 125_000,
        exitCode: null,
        signal: null,
        peakRssBytes: 60 * mib,
        peakPssBytes: null,
        firstCpuMs: 0,
        lastCpuMs: 40,
      },
    ]);
  });

  test('are told apart by their start when the pid is used again', () => {
    using folder = temporaryFolder();
    const samples = [10, 20].map((startTicks, second) =>
      fakeSample({ second, processes: [{ ...renderer(50), startTicks }] }),
    );
    recordSamples(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    expect(
      recording.processes().map(({ startTicks, endedUnixMs }) => [startTicks, endedUnixMs]),
    ).toEqual([
      [10, startUnixMs + 1000],
      [20, null],
    ]);
  });

  test('have their latest role', () => {
    using folder = temporaryFolder();
    const roles = ['zygote', 'zygote', 'renderer'] as const;
    const samples = roles.map((role, second) =>
      fakeSample({ second, processes: [fakeProcess({ pid: 7, role, comm: 'chromium' })] }),
    );
    recordSamples(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.processes().map(({ role }) => role)).toEqual(['renderer']);
  });

  test('may be none, or two thousand', () => {
    using folder = temporaryFolder();
    const many = Array.from({ length: 2000 }, (_, at) =>
      fakeProcess({ pid: 100 + at, role: 'other', rssBytes: at * 4096 }),
    );
    recordSamples(folder.file('a.db'), [
      fakeSample({ second: 0, processes: [] }),
      fakeSample({ second: 1, processes: many }),
      fakeSample({ second: 2, processes: [] }),
    ]);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.processes()).toHaveLength(2000);
    expect([...recording.processSamples()]).toHaveLength(2000);
  });
});
