import { copyFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MetricsPage, serverMetrics } from '../../../src/exporter/prometheus/metrics-page.ts';
import { prometheusName } from '../../../src/exporter/prometheus/prometheus-name.ts';
import { WatchedRecordings } from '../../../src/exporter/prometheus/watched-recordings.ts';
import type { ProcessRole } from '../../../src/model/process-role.ts';
import { StoreWriter } from '../../../src/store/writer.ts';
import { fakeFacts, fakeProcess, fakeSample, mib, startUnixMs } from '../../support/fake-sample.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import {
  syntheticFacts,
  syntheticSamples,
  syntheticStartUnixMs,
} from '../../support/synthetic-session.ts';

test('a session that begins under our eyes is born with counters at 0, and counts from the next answer on', async () => {
  using page = pageWith({ sessions: ['a'], serverStartSecond: -3 });
  expect(await page.values('headroom_oom_kills_total')).toEqual(['0']);
  expect(await page.values('headroom_memory_working_set_bytes')).toEqual([String(515 * mib)]);
  expect(await page.values('headroom_oom_kills_total')).toEqual(['15']);
});

test('of one that was there before the server, counters are what they are: it may be a new server', async () => {
  using page = pageWith({ sessions: ['a'], serverStartSecond: 6 });
  expect(await page.values('headroom_oom_kills_total')).toEqual(['15']);
});

test('a role that comes later has its counters from 0 as well', async () => {
  using page = pageWith({ sessions: ['a'], serverStartSecond: 0 });
  await page.values('headroom_browser_cpu_time_seconds_total');
  page.write(25, ['renderer', 'gpu']);
  page.write(40, ['renderer', 'gpu']);
  expect(await page.lines('headroom_browser_cpu_time_seconds_total')).toEqual([
    expect.stringMatching(/role="renderer".* 3\.\d$/),
    expect.stringMatching(/role="gpu".* 0$/),
  ]);
});

test('several sessions are told apart by their labels, and a metric has all of them together', async () => {
  using page = pageWith({ sessions: ['a', 'b'], serverStartSecond: 6 });
  expect(await page.lines('headroom_memory_limit_bytes')).toEqual([
    expect.stringContaining('headroom_label_task="task of a"'),
    expect.stringContaining('session_id="b"'),
  ]);
  const names = (await page.text()).match(/^# TYPE \S+/gm) ?? [];
  expect(new Set(names).size).toBe(names.length);
});

test('a copy of a live recording is the same session, and no series is there twice', async () => {
  using page = pageWith({ sessions: ['a'], serverStartSecond: 6 });
  copyFileSync(page.file('a.db'), page.file('0-backup.db'));
  const lines = (await page.text()).split('\n').filter((line) => !line.startsWith('#'));
  const series = lines.map((line) => line.replace(/ \S+$/, ''));
  expect(new Set(series).size).toBe(series.length);
  expect((await page.lines('headroom_serve_recordings')).map((line) => line.split(' ')[1])).toEqual(
    ['1', '0', '0', '0'].map((count, index) => (index === 2 ? expect.any(String) : count)),
  );
});

test('a session with all roles has some 420 series, of 250 bytes each, however many processes it has', async () => {
  using folder = temporaryFolder();
  for (const id of ['a', 'b', 'c', 'd']) {
    const facts = syntheticFacts({ id: `6f1c1a54-3c5e-4a3c-9b7e-0d8f2a1b3c4${id}` });
    const writer = StoreWriter.open(folder.file(`${id}.db`), facts);
    for (const sample of syntheticSamples({ tickCount: 130, processCount: 20 }))
      writer.writeSample(sample, []);
  }
  const recordings = new WatchedRecordings(folder.path, {
    onProblem: () => undefined,
    now: () => syntheticStartUnixMs + 130_000,
  });
  const { body } = await new MetricsPage(recordings).answer(undefined);
  const series = body.split('\n').filter((line) => /^[a-z]/.test(line)).length;
  expect(series).toBeGreaterThan(1_000);
  expect(series).toBeLessThan(4 * 430);
  expect(body.length / series).toBeLessThan(270);
});

test('without a session there is an answer all the same: what the server sees', async () => {
  using folder = temporaryFolder();
  const page = new MetricsPage(new WatchedRecordings(folder.path, { onProblem: () => undefined }));
  const { contentType, body } = await page.answer(undefined);
  expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(body).toContain('headroom_serve_recordings{headroom_recording_state="live"} 0\n');
  expect((await page.answer('application/openmetrics-text')).contentType).toBe(
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  );
});

test('names of the server are not those of a session', async () => {
  const names = Object.values(serverMetrics).map((metric) => prometheusName(metric).name);
  expect(names).toEqual(['headroom_serve_recordings', 'headroom_serve_read_duration_seconds']);
});

/** Sessions of 20 s that go on: one OOM kill and 1 MiB more each second, CPU 0.1 s a second. */
function pageWith(parts: { sessions: readonly string[]; serverStartSecond: number }) {
  const folder = temporaryFolder();
  const clock = { unixMs: startUnixMs + parts.serverStartSecond * 1000, monotonicMs: 0 };
  const writers = parts.sessions.map((id) =>
    StoreWriter.open(
      folder.file(`${id}.db`),
      fakeFacts({ id, labels: { task: `task of ${id}` }, endedUnixMs: null, endReason: null }),
    ),
  );
  let written = 0;
  const write = (untilSecond: number, roles: readonly ProcessRole[]) => {
    for (; written < untilSecond; written++) {
      const sample = fakeSample({
        second: written,
        machine: { totalBytes: 1024 * mib, freeBytes: (524 - written) * mib, inactiveFileBytes: 0 },
        activity: { oomKillCount: written },
        processes: roles.map((role, index) =>
          fakeProcess({ pid: 110 + index, role, rssBytes: 100 * mib, cpuMs: 100 * written }),
        ),
      });
      for (const writer of writers) writer.writeSample(sample, []);
    }
    clock.unixMs = startUnixMs + untilSecond * 1000;
  };
  const recordings = new WatchedRecordings(folder.path, {
    onProblem: (error) => {
      throw error;
    },
    now: () => clock.unixMs,
    monotonicMs: () => clock.monotonicMs,
  });
  const page = new MetricsPage(recordings, () => clock.unixMs);
  write(21, ['renderer']);
  clock.unixMs -= 1000;
  const text = async () => {
    clock.monotonicMs += 1000;
    return (await page.answer(undefined)).body;
  };
  const lines = async (name: string) =>
    (await text()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return {
    file: folder.file,
    text,
    lines,
    write,
    values: async (name: string) => (await lines(name)).map((line) => line.split(' ').at(-1)),
    [Symbol.dispose]: () => {
      for (const writer of writers) writer.close({ endedUnixMs: startUnixMs, endReason: 'signal' });
      folder[Symbol.dispose]();
    },
  };
}
