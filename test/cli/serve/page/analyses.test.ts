import { describe, expect, test, vi } from 'vitest';
import { type Analysed, Analyses } from '../../../../src/cli/serve/page/analyses.ts';
import type { FolderFile } from '../../../../src/cli/serve/page/recording-folder.ts';
import type { ListedRecording, RecordingSummary } from '../../../../src/report/page/page-data.ts';

const summary: RecordingSummary = {
  id: 'x',
  labels: {},
  fromUnixMs: 0,
  toUnixMs: 1,
  isLive: false,
  verdict: { kind: 'healthy', summary: '' },
  peakBytes: 1,
  limitBytes: 2,
  oomKillCount: 0,
  sparkline: [],
};

function file(name: string, stamp = '1', bytes = 1): FolderFile {
  return { name, path: `/r/${name}`, bytes, stamp };
}

/** Analyses whose reading is ended by hand. */
function start() {
  let nowMs = 0;
  const changes: ListedRecording[] = [];
  const asked: { path: string; wants: string; end(analysed?: Analysed): void }[] = [];
  const problems: string[] = [];
  const analyses = new Analyses({
    onChange: (recording) => changes.push(recording),
    onProblem: (problem) => problems.push(problem),
    monotonicMs: () => nowMs,
    analyse: ({ path, wants }) =>
      new Promise((resolve) => {
        asked.push({
          path,
          wants,
          end: (analysed = { summary, report: wants === 'report' ? `of ${path}` : null }) =>
            resolve(analysed),
        });
      }),
  });
  const end = async (at: number, analysed?: Analysed) => {
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(at), 60_000);
    asked[at]?.end(analysed);
    await vi.waitFor(() => expect(changes.length).toBeGreaterThan(at), 60_000);
  };
  return { analyses, asked, changes, problems, end, pass: (ms: number) => (nowMs += ms) };
}

describe('the list', () => {
  test('a rest after it was asked for; a report that somebody waits for has none', async () => {
    vi.useFakeTimers();
    try {
      const asked: string[] = [];
      const analyse = async ({ path }: { path: string }) => {
        asked.push(path);
        return { summary, report: '' };
      };
      const analyses = new Analyses({ restMs: 500, onChange: () => undefined, analyse });
      analyses.listed(file('a.db'));
      await vi.advanceTimersByTimeAsync(499);
      expect(asked).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(asked).toEqual(['/r/a.db']);
      expect(await analyses.report(file('b.db'))).toBe('');
      expect(asked).toEqual(['/r/a.db', '/r/b.db']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('nothing is known first; each file is read once, the small ones first', async () => {
    const { analyses, asked, end, changes } = start();
    expect(analyses.listed(file('first.db'))).toEqual({
      name: 'first.db',
      summary: null,
      problem: null,
    });
    analyses.listed(file('large.db', '1', 900));
    analyses.listed(file('small.db', '1', 2));
    analyses.listed(file('small.db', '1', 2));
    for (const at of [0, 1, 2]) await end(at);
    expect(asked.map(({ path }) => path)).toEqual(['/r/first.db', '/r/small.db', '/r/large.db']);
    expect(changes.map(({ name }) => name)).toEqual(['first.db', 'small.db', 'large.db']);
    expect(analyses.listed(file('small.db')).summary).toEqual(summary);
    expect(asked).toHaveLength(3);
  });

  test('a file that cannot be read says why, and stands in nobody’s way', async () => {
    const { analyses, end, problems } = start();
    analyses.listed(file('broken.db'));
    analyses.listed(file('good.db'));
    await end(0, { problem: 'not a database' });
    await end(1);
    expect(analyses.listed(file('broken.db'))).toMatchObject({
      summary: null,
      problem: 'not a database',
    });
    expect(analyses.listed(file('good.db')).problem).toBeNull();
    expect(problems).toEqual(['not a database']);
  });

  test('a file that grows is read again after a pause', async () => {
    const { analyses, asked, end, pass } = start();
    analyses.listed(file('live.db', '1'));
    await end(0);
    analyses.listed(file('live.db', '2'));
    pass(9_999);
    analyses.listed(file('live.db', '3'));
    expect(asked).toHaveLength(1);
    pass(1);
    analyses.listed(file('live.db', '4'));
    await end(1);
    expect(asked).toHaveLength(2);
  });
});

describe('a report', () => {
  test('goes before the list, is kept, and is asked for once however many wait', async () => {
    const { analyses, asked, end } = start();
    analyses.listed(file('a.db'));
    analyses.listed(file('b.db'));
    const reports = [
      analyses.report(file('c.db', '1', 999)),
      analyses.report(file('c.db', '1', 999)),
    ];
    await end(0);
    await end(1);
    expect(asked[1]?.path).toBe('/r/c.db');
    expect(await Promise.all(reports)).toEqual(['of /r/c.db', 'of /r/c.db']);
    expect(await analyses.report(file('c.db', '1', 999))).toBe('of /r/c.db');
    await end(2);
    expect(asked.map(({ path }) => path)).toEqual(['/r/a.db', '/r/c.db', '/r/b.db']);
  });

  test('that is wanted while only the summary is being read is read then', async () => {
    const { analyses, asked, end } = start();
    analyses.listed(file('a.db'));
    const report = analyses.report(file('a.db'));
    await end(0);
    await end(1);
    expect(await report).toBe('of /r/a.db');
    expect(asked.map(({ wants }) => wants)).toEqual(['summary', 'report']);
  });

  test('is null where the file cannot be read', async () => {
    const { analyses, end } = start();
    const report = analyses.report(file('broken.db'));
    await end(0, { problem: 'no' });
    expect(await report).toBeNull();
  });

  test('of what is gone nothing is kept', async () => {
    const { analyses, asked, end } = start();
    const report = analyses.report(file('a.db'));
    await end(0);
    await report;
    analyses.forgetOthers(new Set());
    expect(analyses.listed(file('a.db')).summary).toBeNull();
    await end(1);
    expect(asked).toHaveLength(2);
  });
});
