import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample } from '../support/fake-sample.ts';
import { goldenRecording } from '../support/golden-recording.ts';

const text = renderMarkdown(analyse(goldenRecording()));

test('the verdict as prose, what to do and the evidence as lists', () => {
  expect(text).toMatch(/^# Out of memory: killed by the kernel\n\nThe kernel's OOM killer ended/);
  expect(text).toContain('## What to do\n\n- Give the session more than 400 MiB');
  expect(text).toContain('\n## Evidence\n\n- kmsg:1234');
});

test('the timeline: a picture up to the limit, and what happened', () => {
  const [, timeline = ''] = /## Timeline \(UTC\)\n\n```text\n([^`]*)```/.exec(text) ?? [];
  const rows = timeline.split('\n');
  // 388 of 400 MiB at the end, at the very right; nothing is known of the standby before.
  expect(rows[0]).toMatch(/^400 MiB │·+ +·*▄█$/);
  expect(rows[7]).toMatch(/^ +│█+ +█+$/);
  expect(rows[9]).toMatch(/^ +14:00:00 +14:11:40$/);
  expect(timeline).toContain('14:00:19  gap (standby): nothing is known of 10 min');
  expect(timeline).toContain('14:11:39  OOM kill of a renderer process (pid 110');
});

test('names cannot become markup', () => {
  const processes = [fakeProcess({ pid: 7, role: 'other', comm: '```</x>**b**' })];
  const markdown = renderMarkdown(
    analyse(fakeRecording({ samples: [fakeSample({ second: 0, processes })] })),
  );
  expect(markdown.match(/^```/gm)).toHaveLength(2 * (markdown.match(/^```text$/gm) ?? []).length);
  expect(markdown).toContain("'''</x>**b**");
});
