import { describe, expect, test } from 'vitest';
import {
  ScrapedSession,
  type SessionFigures,
} from '../../../src/exporter/prometheus/scraped-session.ts';
import type { AgentOsReading } from '../../../src/model/agentos.ts';
import type { Recording } from '../../../src/model/recording.ts';
import { agentOsReading } from '../../support/agentos-vm.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import {
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from '../../support/fake-sample.ts';

const at = (second: number) => startUnixMs + second * 1000;

test('shows the latest tick that is five seconds old: roles are settled then', () => {
  const figures = scrape(recordingOf(20, { isLive: true }), 19);
  expect(figures?.state).toBe('live');
  expect(valuesOf(figures, 'headroom.memory.working_set')).toEqual([(414 + 100) * mib]);
  expect(valuesOf(figures, 'system.cpu.time')).toEqual([7]);
});

test('nothing is shown before there is a settled tick', () => {
  expect(scrape(recordingOf(0, { isLive: true }), 0)).toBeNull();
  expect(scrape(recordingOf(3, { isLive: true }), 2)?.points).toEqual([]);
});

test('goes on from scrape to scrape, to the same as one that sees the file for the first time', () => {
  const followed = new ScrapedSession();
  for (const second of [7, 8, 30, 31, 130, 200]) {
    const figures = followed.read(recordingOf(second + 1, { isLive: true }), at(second));
    const fresh = scrape(recordingOf(second + 1, { isLive: true }), second);
    expect(shown(figures)).toEqual(shown(fresh));
  }
});

test('far behind, it begins again near the end, and shows the same', () => {
  const far = recordingOf(900, { isLive: true });
  const jumped = new ScrapedSession({ mostTicksBehind: 600 }).read(far, at(899));
  const stepped = new ScrapedSession({ mostTicksBehind: 600 });
  for (let second = 300; second < 900; second += 300) {
    stepped.read(recordingOf(second, { isLive: true }), at(second));
  }
  expect(shown(jumped)).toEqual(shown(stepped.read(far, at(899))));
  expect(valuesOf(jumped, 'headroom.oom.kills')).toEqual([894]);
});

test('a minute that closed has its percentiles, until the next one closes', () => {
  const figures = scrape(recordingOf(70, { isLive: true }), 69);
  const p50 = rollup(figures, 'p50', '1m');
  // The fake's percentiles are exact: nearest rank 30 of the 60 samples of 14:00:00 to 14:00:59.
  expect(p50).toEqual([(400 + 29 + 100) * mib]);
  expect(rollup(figures, 'p50', 'session')).toEqual([]);
});

test('of a VM the latest of two ticks: its counters are not asked for at each', () => {
  const unknown = agentOsReading({ openFdCount: null, processCount: 1 });
  const scrapeOf = (...readings: AgentOsReading[]) => {
    const samples = readings.map((agentOs, second) => ({ ...fakeSample({ second }), agentOs }));
    const recording = fakeRecording({ samples, facts: { source: 'agentos' }, isLive: true });
    return scrape(recording, readings.length + 10);
  };
  const shown = scrapeOf(agentOsReading(), unknown);
  expect(valuesOf(shown, 'headroom.agentos.resources')).toContain(12);
  expect(valuesOf(shown, 'headroom.agentos.processes')).toContain(1);
  const older = scrapeOf(agentOsReading(), unknown, unknown);
  expect(valuesOf(older, 'headroom.agentos.resources')).not.toContain(12);
});

test('single processes, on request', () => {
  const live = recordingOf(20, { isLive: true });
  const scraped = new ScrapedSession({ perProcess: 20 }).read(live, at(19));
  const byRole = valuesOf(scraped, 'headroom.browser.memory.rss');
  expect(byRole.length).toBeGreaterThan(0);
  // One process of each role.
  expect(valuesOf(scraped, 'process.memory.usage').sort()).toEqual([...byRole].sort());
  expect(valuesOf(scrape(live, 19), 'process.memory.usage')).toEqual([]);
});

describe('the end of a session', () => {
  const recording = recordingOf(61, { isLive: false });

  test('takes its gauges away: nobody is shown as live who is not', () => {
    const figures = scrape(recording, 70);
    expect(figures?.state).toBe('ended');
    expect(valuesOf(figures, 'headroom.memory.working_set')).toEqual([]);
    expect(valuesOf(figures, 'headroom.browser.processes')).toEqual([]);
  });

  test('leaves the last of the counters, and the percentiles of the whole session', () => {
    const figures = scrape(recording, 70);
    expect(valuesOf(figures, 'headroom.oom.kills')).toEqual([60]);
    expect(valuesOf(figures, 'headroom.oom.victims')).toEqual([1]);
    expect(rollup(figures, 'max', 'session')).toEqual([(460 + 100) * mib]);
  });

  test('is forgotten after five minutes', () => {
    expect(scrape(recording, 60 + 300)).not.toBeNull();
    expect(scrape(recording, 60 + 301)).toBeNull();
  });

  test('of a recorder that was killed is at its last tick', () => {
    const lost = recordingOf(61, { isLive: false, endedUnixMs: null });
    expect(scrape(lost, 60 + 300)?.state).toBe('ended');
    expect(scrape(lost, 60 + 301)).toBeNull();
  });
});

test('a file with which a recorder goes on is live again, and ends again', () => {
  const session = new ScrapedSession();
  expect(session.read(recordingOf(20, { isLive: false }), at(19))?.state).toBe('ended');
  expect(session.read(recordingOf(40, { isLive: true }), at(39))?.state).toBe('live');
  const figures = session.read(recordingOf(50, { isLive: false }), at(49));
  expect(rollup(figures, 'max', 'session')).toEqual([(449 + 100) * mib]);
});

test('a recorder that lives and writes nothing is stalled: what it said last is not shown as now', () => {
  const recording = recordingOf(20, { isLive: true });
  expect(scrape(recording, 19 + 30)?.state).toBe('live');
  const figures = scrape(recording, 19 + 31);
  expect(figures?.state).toBe('stalled');
  expect(valuesOf(figures, 'headroom.memory.working_set')).toEqual([]);
  expect(valuesOf(figures, 'headroom.oom.kills')).toEqual([19]);
});

test('a clock that is set back does not stop it', () => {
  const before = recordingOf(20, { isLive: true });
  const after = recordingOf(40, { isLive: true, clockSetBackAt: 20 });
  const session = new ScrapedSession();
  session.read(before, at(25));
  const figures = session.read(after, at(39 - 3600));
  expect(valuesOf(figures, 'headroom.oom.kills')).toEqual([39]);
});

interface Parts {
  isLive: boolean;
  endedUnixMs?: null;
  clockSetBackAt?: number;
}

/**
 * One sample a second; the working set grows by 1 MiB with each from 500 MiB, the kernel's count of
 * OOM kills by 1, its user time by 0.5 s. A renderer is killed at second 55.
 */
function recordingOf(seconds: number, parts: Parts): Recording {
  const samples = Array.from({ length: seconds }, (_, second) => {
    const isBack = second >= (parts.clockSetBackAt ?? Infinity);
    return fakeSample({
      second,
      timeUnixMs: at(isBack ? second - 3600 : second),
      machine: {
        totalBytes: 1024 * mib,
        freeBytes: (1024 - 500 - second) * mib,
        inactiveFileBytes: 0,
      },
      activity: { oomKillCount: 3 + second, cpuUserMs: 1000 + 500 * second },
      processes:
        second < 55
          ? [fakeProcess({ pid: 110, role: 'renderer', rssBytes: 100 * mib, anonBytes: 50 * mib })]
          : [],
    });
  });
  const kill = fakeOomKill({ pid: 110, comm: 'chromium', timeUnixMs: at(55) });
  return Object.assign(
    fakeRecording({
      samples,
      events: [kill],
      isLive: parts.isLive,
      facts: {
        endedUnixMs: parts.isLive || parts.endedUnixMs === null ? null : at(seconds - 1),
      },
    }),
    { series: () => [{ scope: 'session', metric: 'working_set' }] },
  ) as Recording;
}

function scrape(recording: Recording, second: number): SessionFigures | null {
  return new ScrapedSession().read(recording, at(second));
}

function shown(figures: SessionFigures | null) {
  const points = (figures?.points ?? []).map(({ series, value, timeUnixMs }) => ({
    name: series.metric.name,
    attributes: series.attributes,
    value,
    timeUnixMs,
  }));
  return { ...figures, points };
}

function valuesOf(figures: SessionFigures | null, name: string) {
  return (figures?.points ?? [])
    .filter(({ series }) => series.metric.name === name)
    .map(({ value }) => value);
}

function rollup(figures: SessionFigures | null, stat: string, window: string) {
  return (figures?.points ?? [])
    .filter(
      ({ series }) =>
        series.metric.name === 'headroom.rollup.memory.working_set' &&
        series.attributes['headroom.rollup.stat'] === stat &&
        series.attributes['headroom.rollup.window'] === window,
    )
    .map(({ value }) => value);
}
