import { describe, expect, test } from 'vitest';
import { pagesSection } from '../../src/analysis/pages.ts';
import type { RecordingEvent } from '../../src/model/event.ts';
import type { PagePlacement } from '../../src/model/page-event.ts';
import type { ProcessReading } from '../../src/model/sample.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

const at = (second: number) => startUnixMs + second * 1_000;

function placed(second: number, targetId: string, pid: number, parts: Partial<PagePlacement> = {}) {
  return {
    kind: 'page',
    timeUnixMs: at(second),
    targetId,
    targetType: 'page',
    pageTargetId: targetId,
    url: `http://${targetId}.test`,
    state: 'placed',
    pid,
    startTicks: pid * 10,
    ...parts,
  } satisfies PagePlacement;
}

const nowhere = { pid: null, startTicks: null } as const;

/** One sample a second; of a renderer its anonymous memory in MiB at that second, null: not there. */
function recordingOf(
  renderers: Record<number, (second: number) => number | null>,
  events: readonly RecordingEvent[],
  seconds = 60,
) {
  const samples = Array.from({ length: seconds + 1 }, (_, second) =>
    fakeSample({
      second,
      processes: [
        fakeProcess({ pid: 100, role: 'browser', anonBytes: 100 * mib, rssBytes: 1 }),
        ...Object.entries(renderers).flatMap(([pid, sizeAt]): ProcessReading[] => {
          const size = sizeAt(second);
          if (size === null) return [];
          const bytes = size * mib;
          return [
            fakeProcess({ pid: Number(pid), role: 'renderer', anonBytes: bytes, rssBytes: 1 }),
          ];
        }),
      ],
    }),
  );
  return fakeRecording({ samples, events });
}

describe('memory of pages', () => {
  test('nothing was watched: no pages, and nothing beside them', () => {
    const recording = recordingOf({ 1: () => 50 }, []);
    expect(pagesSection(recording, {})).toEqual({ pages: [], outsidePages: null });
  });

  test('the largest first; each with the memory of the process it was in', () => {
    const recording = recordingOf({ 1: () => 30, 2: (second) => 20 + 2 * second }, [
      placed(1, 'a', 1),
      placed(1, 'b', 2),
    ]);
    const { pages } = pagesSection(recording, {});
    expect(pages.map(({ url }) => url)).toEqual(['http://b.test', 'http://a.test']);
    expect(pages[0]?.memoryBytes).toEqual({
      peak: 140 * mib,
      peakUnixMs: at(60),
      last: 140 * mib,
      source: 'anon',
    });
    expect(pages[1]?.memoryBytes).toMatchObject({ peak: 30 * mib, last: 30 * mib });
  });

  test('two pages in one process: the whole for both, never a half', () => {
    const recording = recordingOf({ 1: () => 90 }, [placed(1, 'a', 1), placed(2, 'b', 1)]);
    const { pages } = pagesSection(recording, {});
    expect(pages.map(({ isShared, memoryBytes }) => [isShared, memoryBytes.peak])).toEqual([
      [true, 90 * mib],
      [true, 90 * mib],
    ]);
    expect(pages[0]?.processes).toMatchObject([{ pid: 1, isFrame: false, sharedWith: ['b'] }]);
  });

  test('a page with a frame in another process: both together', () => {
    const frame = { targetType: 'iframe', pageTargetId: 'a', url: 'http://ads.test' };
    const recording = recordingOf({ 1: () => 50, 2: () => 30 }, [
      placed(1, 'a', 1),
      placed(2, 'f', 2, frame),
      placed(20, 'f', 2, { ...frame, ...nowhere, state: 'gone' }),
    ]);
    const { pages } = pagesSection(recording, {});
    expect(pages).toHaveLength(1);
    expect(pages[0]).toMatchObject({ url: 'http://a.test', isShared: false });
    expect(pages[0]?.memoryBytes).toMatchObject({ peak: 80 * mib, last: 50 * mib });
    expect(pages[0]?.processes.map(({ pid, isFrame }) => [pid, isFrame])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  test('a frame that moves to another address, and stays in its process, is there once', () => {
    const frame = { targetType: 'iframe', pageTargetId: 'a' };
    const recording = recordingOf({ 1: () => 50, 2: () => 30 }, [
      placed(1, 'a', 1),
      placed(2, 'f', 2, { ...frame, url: null }),
      placed(20, 'f', 2, { ...frame, url: 'http://ads.test' }),
    ]);
    const { pages } = pagesSection(recording, {});
    expect(pages[0]?.processes).toMatchObject([
      { pid: 1, fromUnixMs: at(1), toUnixMs: at(60) },
      { pid: 2, isFrame: true, fromUnixMs: at(2), toUnixMs: at(60) },
    ]);
  });

  test('PSS where it was read, and what changed since', () => {
    const sample = (second: number, anon: number, pssAnon: number | null) =>
      fakeSample({
        second,
        processes: [
          fakeProcess({
            pid: 1,
            role: 'renderer',
            anonBytes: anon * mib,
            rssBytes: 1,
            pssBytes: pssAnon === null ? null : 200 * mib,
            pssAnonBytes: pssAnon === null ? null : pssAnon * mib,
          }),
        ],
      });
    const samples = [sample(0, 60, null), sample(1, 64, 50), sample(2, 70, null)];
    const recording = fakeRecording({ samples, events: [placed(0, 'a', 1)] });
    const { pages } = pagesSection(recording, {});
    // 60 as long as PSS was not read, then 50, then 50 + 6.
    expect(pages[0]?.memoryBytes).toMatchObject({ peak: 60 * mib, last: 56 * mib });
  });

  test('a tab that moves on leaves a renderer without a page', () => {
    const recording = recordingOf({ 1: () => 40, 2: () => 50 }, [
      placed(1, 'a', 1, { url: 'http://one.test' }),
      placed(10, 'a', 2, { url: 'http://two.test' }),
    ]);
    const { pages, outsidePages } = pagesSection(recording, {});
    expect(pages.map(({ url, lastUnixMs }) => [url, lastUnixMs])).toEqual([
      ['http://two.test', at(60)],
      ['http://one.test', at(10)],
    ]);
    expect(outsidePages).toEqual({
      unknownCount: 0,
      pids: [1],
      memoryBytes: { peak: 40 * mib, peakUnixMs: at(10), last: 40 * mib, source: 'anon' },
    });
  });

  test('a spare renderer is without a page once there was time to find one', () => {
    const spare = pagesSection(recordingOf({ 1: () => 40, 2: () => 9 }, [placed(1, 'a', 1)]), {});
    expect(spare.outsidePages?.pids).toEqual([2]);
    const early = recordingOf({ 1: () => 40, 2: () => 9 }, [placed(1, 'a', 1)], 20);
    expect(pagesSection(early, {}).outsidePages).toMatchObject({
      pids: [],
      memoryBytes: { peak: null },
    });
  });

  test('one that could not be placed is counted, and has no memory', () => {
    const events = [placed(1, 'a', 1), placed(2, 'b', 1, { ...nowhere, state: 'unknown' })];
    const { pages, outsidePages } = pagesSection(recordingOf({ 1: () => 40 }, events), {});
    expect(pages.map(({ url }) => url)).toEqual(['http://a.test']);
    expect(outsidePages?.unknownCount).toBe(1);
  });

  test('a page ends with its process; what the browser said of that end is with it', () => {
    const crash: RecordingEvent = {
      kind: 'target_crash',
      timeUnixMs: at(30),
      targetId: 'a',
      targetType: 'page',
      url: 'http://a.test',
      status: 'killed',
      errorCode: 9,
      pid: 1,
      startTicks: 10,
    };
    const recording = recordingOf({ 1: (second) => (second < 30 ? 40 : null) }, [
      placed(1, 'a', 1),
      crash,
    ]);
    const { pages } = pagesSection(recording, {});
    expect(pages).toMatchObject([
      { lastUnixMs: at(30), crash: { timeUnixMs: at(30), status: 'killed', errorCode: 9 } },
    ]);
  });

  test('a part of the recording: where the page was when it began counts', () => {
    const recording = recordingOf({ 1: (second) => second }, [placed(1, 'a', 1)]);
    const range = { fromUnixMs: at(20), toUnixMs: at(30) };
    const { pages } = pagesSection(recording, range);
    expect(pages).toMatchObject([
      { firstUnixMs: at(20), lastUnixMs: at(30), memoryBytes: { peak: 30 * mib } },
    ]);
  });
});
