import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PageLines, parsePageLine } from '../../../src/collector/pages/page-lines.ts';

const page = {
  kind: 'page',
  timeUnixMs: 1_795_960_800_000,
  targetId: 'A1',
  targetType: 'page',
  pageTargetId: 'A1',
  url: 'https://example.org',
  state: 'placed',
  pid: 12,
  startTicks: 99,
};
const crash = {
  kind: 'target_crash',
  timeUnixMs: 1_795_960_800_000,
  targetId: 'A1',
  targetType: 'page',
  url: null,
  status: 'killed',
  errorCode: 9,
  pid: null,
  startTicks: null,
};

describe('a line of the watcher', () => {
  test.each([page, crash])('$kind is taken as it is', (event) => {
    expect(parsePageLine(JSON.stringify(event))).toEqual(event);
  });

  test('a field that is not ours is left out', () => {
    const line = JSON.stringify({ ...page, title: 'secret' });
    expect(parsePageLine(line)).toEqual(page);
  });

  test.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', '[1]'],
    ['another kind', JSON.stringify({ ...page, kind: 'oom_kill' })],
    ['placed nowhere', JSON.stringify({ ...page, pid: null })],
    ['gone and yet in a process', JSON.stringify({ ...page, state: 'gone' })],
    ['a pid that is text', JSON.stringify({ ...page, pid: '12' })],
    ['a negative time', JSON.stringify({ ...page, timeUnixMs: -1 })],
    ['an address without end', JSON.stringify({ ...page, url: 'x'.repeat(20_000) })],
    ['a note of another kind', JSON.stringify({ ...page, kind: 'note', code: 'x', message: '' })],
  ])('%s: none of it', (_, line) => {
    expect(parsePageLine(line)).toBeNull();
  });

  test('whatever comes, it gives an event or null', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        const event = parsePageLine(line);
        expect(event === null || typeof event.kind === 'string').toBe(true);
      }),
    );
  });
});

test('lines in pieces; what is lost is counted, what is queued has an end', () => {
  const lines = new PageLines();
  const text = `${JSON.stringify(page)}\nnonsense\n${JSON.stringify(crash)}\n`;
  for (const character of text) lines.push(character);
  expect(lines.drain()).toEqual([page, crash]);
  expect(lines.drain()).toEqual([]);
  expect(lines.lostCount).toBe(1);
  lines.push('x'.repeat(20_000));
  expect(lines.lostCount).toBe(2);
  lines.push(`${`${JSON.stringify(page)}\n`.repeat(5_000)}`);
  expect(lines.drain()).toHaveLength(4_096);
  expect(lines.lostCount).toBe(2 + 5_000 - 4_096);
});
