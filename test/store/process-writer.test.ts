import { describe, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, recordSamples, running } from '../support/record-samples.ts';

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
        command: null,
        oomScoreAdj: null,
        cgroup: null,
        descriptorCount: null,
        readBytes: null,
        writtenBytes: null,
      },
    ]);
  });

  test('of the browser can be asked for alone, without those that ended before a time', () => {
    using folder = temporaryFolder();
    const browser = fakeProcess({ pid: 100, role: 'browser', rssBytes: 90 * mib, cpuMs: 10 });
    const other = fakeProcess({ pid: 50, role: 'other', rssBytes: 10 * mib });
    const samples = Array.from({ length: 10 }, (_, second) =>
      fakeSample({
        second,
        processes: [browser, other, ...(second < 5 ? [renderer(50, 20 * second)] : [])],
      }),
    );
    recordSamples(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    const endedUnixMs = startUnixMs + 5000;
    expect(recording.browserProcesses()).toEqual([
      {
        process: 1,
        pid: 100,
        role: 'browser',
        firstUnixMs: startUnixMs,
        endedUnixMs: null,
        firstCpuMs: 10,
        lastCpuMs: 10,
      },
      {
        process: 3,
        pid: 101,
        role: 'renderer',
        firstUnixMs: startUnixMs,
        endedUnixMs,
        firstCpuMs: 0,
        lastCpuMs: 80,
      },
    ]);
    expect(recording.browserProcesses(endedUnixMs)).toHaveLength(2);
    expect(recording.browserProcesses(endedUnixMs + 1).map(({ pid }) => pid)).toEqual([100]);
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

  test('have their latest facts', () => {
    using folder = temporaryFolder();
    const facts = [
      { command: 'sh run', oomScoreAdj: 0, cgroup: '/', descriptorCount: 3, readBytes: 0 },
      { command: 'node x', oomScoreAdj: 300, cgroup: '/s', descriptorCount: 9, readBytes: 512 },
      { command: 'node x', oomScoreAdj: 300, cgroup: '/s', descriptorCount: 27, readBytes: 1024 },
    ];
    const samples = facts.map((fact, second) =>
      fakeSample({ second, processes: [{ ...renderer(50), ...fact, writtenBytes: 2 ** 40 }] }),
    );
    recordSamples(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.processes()).toMatchObject([{ ...facts[2], writtenBytes: 2 ** 40 }]);
    // What they had before is no row of its own: nothing that changes at every tick is a reason.
    expect([...recording.processSamples()]).toHaveLength(2);
  });

  test('are written at once when their command line, cgroup or oom_score_adj changed, else once a minute', () => {
    using folder = temporaryFolder();
    const writer = StoreWriter.open(folder.file('a.db'), running);
    const facts = [
      { command: 'a', cgroup: '/a', oomScoreAdj: 0, descriptorCount: 1 },
      { command: 'a', cgroup: '/a', oomScoreAdj: 0, descriptorCount: 2 },
      { command: 'a', cgroup: '/a', oomScoreAdj: 0, descriptorCount: 3 },
      { command: 'b', cgroup: '/a', oomScoreAdj: 0, descriptorCount: 4 },
      { command: 'b', cgroup: '/b', oomScoreAdj: 0, descriptorCount: 5 },
      { command: 'b', cgroup: '/b', oomScoreAdj: 300, descriptorCount: 6 },
      { command: 'b', cgroup: '/b', oomScoreAdj: 300, descriptorCount: 7 },
      // In the next minute.
      { command: 'b', cgroup: '/b', oomScoreAdj: 300, descriptorCount: 8 },
    ];
    const seen = facts.map((fact, at) => {
      const second = at < 7 ? at : 60;
      writer.writeSample(fakeSample({ second, processes: [{ ...renderer(50), ...fact }] }), []);
      using recording = openRecording(folder.file('a.db'));
      const [record] = recording.processes();
      return [record?.command, record?.cgroup, record?.oomScoreAdj, record?.descriptorCount];
    });
    writer.close(ended);
    expect(seen).toEqual([
      ['a', '/a', 0, 1],
      ['a', '/a', 0, 1],
      ['a', '/a', 0, 1],
      ['b', '/a', 0, 4],
      ['b', '/b', 0, 5],
      ['b', '/b', 300, 6],
      ['b', '/b', 300, 6],
      ['b', '/b', 300, 8],
    ]);
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
