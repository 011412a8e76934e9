import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { TimeRange } from '../../src/model/time-range.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { renderText } from '../../src/report/text.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeOomKill, fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

const at = (second: number) => startUnixMs + second * 1000;
const browser = fakeProcess({ pid: 100, role: 'browser', rssBytes: 100 * mib });
const renderer = fakeProcess({ pid: 110, role: 'renderer', rssBytes: 200 * mib });

/** A minute of calm in 400 MiB; the renderer is killed after 50.5 s. */
function killedSession() {
  const samples = Array.from({ length: 61 }, (_, second) =>
    fakeSample({
      second,
      cgroup: { limitBytes: 400 * mib, chargedBytes: 200 * mib, inactiveFileBytes: 0 },
      processes: second <= 50 ? [browser, renderer] : [browser],
    }),
  );
  const kill = fakeOomKill({
    pid: 110,
    comm: 'chromium',
    timeUnixMs: at(50) + 500,
    cgroupLimitBytes: 400 * mib,
  });
  return fakeRecording({ samples, events: [kill] });
}

const reportOf = (range: TimeRange) => analyse(killedSession(), range);

test('a part before the kill is told to be one, with the kill, and advises no size', () => {
  const report = reportOf({ fromUnixMs: at(10), toUnixMs: at(30) });
  expect(report.part).toEqual({
    fromUnixMs: at(10),
    toUnixMs: at(30),
    recordedFromUnixMs: at(0),
    recordedToUnixMs: at(60),
    outside: [
      {
        timeUnixMs: at(50) + 500,
        pid: 110,
        role: 'renderer',
        comm: 'chromium',
        verdict: 'kernel_oom',
      },
    ],
  });
  expect(report.verdict.kind).toBe('healthy');
  expect(report.verdict.summary).toContain(
    "this is a part of the recording (2026-11-29T14:00:10Z to 2026-11-29T14:00:30Z of 2026-11-29T14:00:00Z to 2026-11-29T14:01:00Z), and outside of it the kernel's OOM killer ended the renderer process (pid 110) at 2026-11-29T14:00:50Z",
  );
  expect(report.verdict.evidence[0]).toBe(
    "outside of this part: the kernel's OOM killer ended the renderer process (pid 110) at 2026-11-29T14:00:50Z",
  );
  expect(report.verdict.advice).toEqual([
    'Report on the whole recording to learn whether the present size is enough.',
  ]);
  expect(renderText(report)).toMatch(/^Healthy \(a part of the recording\)\n/);
  expect(renderMarkdown(report)).toMatch(/^# Healthy \(a part of the recording\)\n/);
  expect(renderText(report)).toContain('of which this part: 2026-11-29T14:00:10Z');
  expect(report.timeline[0]?.text).toMatch(/^this part begins/);
});

test('a part with the kill in it has it as its own, and nothing outside', () => {
  const report = reportOf({ fromUnixMs: at(40) });
  expect(report.verdict.kind).toBe('kernel_oom');
  expect(report.part).toMatchObject({ fromUnixMs: at(40), toUnixMs: at(60), outside: [] });
  expect(report.verdict.summary).toContain('this is a part of the recording');
});

test.each<[string, TimeRange]>([
  ['no range', {}],
  ['a range that holds everything', { fromUnixMs: at(0), toUnixMs: at(60) }],
  ['a range beyond both ends', { fromUnixMs: at(-100), toUnixMs: at(1000) }],
])('%s: no part', (_, range) => {
  const report = reportOf(range);
  expect(report.part).toBeNull();
  expect(report.verdict).toEqual(reportOf({}).verdict);
  expect(report.verdict.summary).not.toContain('part of the recording');
});

test('a part without a sample still tells what is outside', () => {
  const report = reportOf({ fromUnixMs: at(20) + 100, toUnixMs: at(20) + 200 });
  expect(report.verdict.kind).toBe('unknown');
  expect(report.verdict.summary).toContain('outside of it the kernel');
});

test('a part that ends before a recording breaks off does not break off itself', () => {
  const samples = Array.from({ length: 20 }, (_, second) =>
    fakeSample({ second, machine: { availableBytes: 512 * mib }, processes: [browser] }),
  );
  const facts = { endReason: 'lost', endedUnixMs: null } as const;
  const part = analyse(fakeRecording({ samples, facts }), { toUnixMs: at(10) });
  expect(part.verdict.kind).toBe('healthy');
  expect(part.verdict.summary).not.toContain('where the recording breaks off');
  expect(analyse(fakeRecording({ samples, facts })).verdict.kind).toBe('unknown');
});
