import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TargetList } from '../../../src/collector/pages/target-list.ts';

// As Chromium 156 tells it.
const info = (targetId: string, parts: Record<string, unknown> = {}) => ({
  method: 'Target.targetCreated',
  params: {
    targetInfo: { targetId, type: 'page', title: '', url: 'http://127.0.0.2/', ...parts },
  },
});

test('a page comes, moves, crashes and goes; a new title is no change', () => {
  const list = new TargetList();
  const target = { targetId: 'A', type: 'page', url: 'http://127.0.0.2/', parentId: null };
  expect(list.take(info('A'))).toEqual({ change: 'created', target });
  expect(
    list.take({ ...info('A', { title: 'new' }), method: 'Target.targetInfoChanged' }),
  ).toBeNull();
  expect(list.take(info('A', { url: 'http://127.0.0.3/' }))).toMatchObject({ change: 'changed' });
  const crash = { targetId: 'A', status: 'killed', errorCode: 9 };
  expect(list.take({ method: 'Target.targetCrashed', params: crash })).toEqual({
    change: 'crashed',
    ...crash,
  });
  const destroyed = { method: 'Target.targetDestroyed', params: { targetId: 'A' } };
  expect(list.take(destroyed)).toEqual({ change: 'destroyed', targetId: 'A' });
  expect(list.take(destroyed)).toBeNull();
});

test('a frame in a frame belongs to the page; one whose parent is not told, to none', () => {
  const list = new TargetList();
  list.take(info('A'));
  list.take(info('B', { type: 'iframe', parentId: 'A' }));
  list.take(info('C', { type: 'iframe', parentId: 'B' }));
  list.take(info('D', { type: 'iframe' }));
  list.take(info('E', { type: 'iframe', parentId: 'E' }));
  expect(['A', 'B', 'C', 'D', 'E', 'F'].map((id) => list.pageOf(id))).toEqual([
    'A',
    'A',
    'A',
    null,
    null,
    null,
  ]);
});

test('workers and the browser itself have no main thread to be asked', () => {
  const list = new TargetList();
  for (const type of ['service_worker', 'shared_worker', 'worker', 'browser', 'tab']) {
    expect(list.take(info('W', { type }))).toBeNull();
  }
});

test('of more than 1,000 targets the rest is not looked at', () => {
  const list = new TargetList();
  const taken = Array.from({ length: 1_500 }, (_, index) => list.take(info(`T${index}`)));
  expect(taken.filter((change) => change !== null)).toHaveLength(1_000);
});

test('whatever is told, nothing throws', () => {
  const list = new TargetList();
  const methods = ['Target.targetCreated', 'Target.targetDestroyed', 'Target.targetCrashed'];
  fc.assert(
    fc.property(
      fc.constantFrom(...methods),
      fc.object({ key: fc.constantFrom('targetInfo', 'targetId', 'type', 'url') }),
      (method, params) => {
        expect(() => list.take({ method, params })).not.toThrow();
      },
    ),
  );
});
