import { expect, test } from 'vitest';
import type { CollectorState } from '../../src/attach/collector-state.ts';
import { type FollowOptions, follow } from '../../src/attach/follow.ts';
import { HeadroomError } from '../../src/model/errors.ts';

type Answer<T> = T | HeadroomError;

const request = { sessionId: 'a', source: 'kernel', intervalMs: 1_000, labels: {}, nodePath: '/n' };
const notThere = new HeadroomError('SESSION_NOT_FOUND', '404');
const noAnswer = new HeadroomError('SESSION_UNREACHABLE', 'no answer');

function stateAt(lastUnixMs: number, isOver = false): CollectorState {
  return { pid: 7, sampleCount: 3, lastUnixMs, isOver };
}

/** A session that answers each question with the next of its answers, and then with the last. */
function sessionAnswering(answers: {
  state: Answer<CollectorState | null>[];
  pid?: Answer<number | null>[];
  request?: typeof request | null;
  isOurs?: boolean[];
  pull?: Answer<null>[];
}) {
  const done: string[] = [];
  const next = <T>(list: Answer<T>[]): Promise<T> => {
    const answer = list.length > 1 ? list.shift() : list[0];
    if (answer instanceof HeadroomError) return Promise.reject(answer);
    return Promise.resolve(answer as T);
  };
  const { pid = [7], pull = [null], isOurs = [true] } = answers;
  const note = async (what: string) => void done.push(what);
  const unused = () => Promise.reject(new Error('not used here'));
  const collector = {
    session: { name: 'kernel:x' },
    folder: '/tmp/headroom',
    state: () => next(answers.state),
    pid: () => next(pid),
    request: async () => (answers.request === undefined ? request : answers.request),
    problem: async () => 'out of memory',
    stop: () => note('stop'),
    remove: () => note('remove'),
    start: unused,
    ask: unused,
  };
  const ending = new AbortController();
  const run = (options: Partial<FollowOptions> = {}) =>
    follow(
      {
        collector: collector as never,
        isTakenOver: false,
        how: '',
        isOurs: () => next(isOurs),
        restart: () => note('restart'),
      },
      {
        signal: ending.signal,
        pullEveryMs: 1,
        lookEveryMs: 1,
        pull: async () => {
          done.push('pull');
          await next(pull);
        },
        onEvent: (event) => {
          if (event.kind !== 'heard') done.push(event.kind);
          // Each story ends with what happened last.
          if (event.kind === 'recovered' || event.kind === 'restarted') ending.abort();
        },
        ...options,
      },
    );
  return { run, done, ending };
}

test('asked to end, it stops, fetches, and only then removes', async () => {
  const { run, done, ending } = sessionAnswering({ state: [stateAt(1)] });
  ending.abort();
  expect(await run()).toBe('stopped');
  expect(done).toEqual(['stop', 'pull', 'remove']);
});

test('what cannot be fetched at the end stays in the session', async () => {
  const { run, done, ending } = sessionAnswering({ state: [stateAt(1)], pull: [noAnswer] });
  ending.abort();
  await expect(run()).rejects.toMatchObject({
    code: 'SESSION_UNREACHABLE',
    message: 'no answer; the recording has ended and is still in the session',
    hint: 'To fetch it: headroom stop kernel:x --out ELSEWHERE.db',
  });
  expect(done).toEqual(['stop', 'pull']);
});

const nothingThere = new HeadroomError('COLLECTOR_NOT_FOUND', 'nothing is recorded there');

test.each([
  // What another one follows is neither stopped nor removed.
  ['taken_over', { isOurs: [false] }, ['pull']],
  ['taken_elsewhere', { pull: [nothingThere] }, ['stop', 'pull']],
  ['deleted', { pull: [notThere], pid: [notThere] }, ['stop', 'pull']],
] as const)('asked to end when it is %s, it says so', async (end, answers, expected) => {
  const { run, done, ending } = sessionAnswering(
    structuredAnswers({ state: [stateAt(1)], ...answers }),
  );
  ending.abort();
  expect(await run()).toBe(end);
  expect(done).toEqual(expected);
});

test('a collector that died is started again', async () => {
  const { run, done } = sessionAnswering({ state: [stateAt(1)], pid: [7, null, 7] });
  expect(await run({ pullEveryMs: 0 })).toBe('stopped');
  expect(done.filter((what) => what !== 'pull')).toEqual([
    'restart',
    'restarted',
    'stop',
    'remove',
  ]);
});

test.each([
  ['deleted', { state: [notThere], pid: [notThere] }, []],
  ['taken_elsewhere', { state: [null], pid: [null], request: null }, []],
  ['stopped_elsewhere', { state: [stateAt(1, true)] }, ['pull']],
  ['taken_over', { state: [stateAt(1)], isOurs: [false] }, ['pull']],
  // Between the look at its file and the look at its process it ended as it was asked to.
  ['stopped_elsewhere', { state: [null, stateAt(2, true)], pid: [null] }, ['pull']],
] as const)('%s, with what is left to do', async (end, answers, expected) => {
  const { run, done } = sessionAnswering(structuredAnswers(answers));
  expect(await run({ pullEveryMs: 60_000 })).toBe(end);
  expect(done).toEqual(expected);
});

test('contact that was lost is told once, and so is that it is back', async () => {
  const { run, done } = sessionAnswering({ state: [noAnswer, noAnswer, noAnswer, stateAt(1)] });
  expect(await run({ pullEveryMs: 60_000 })).toBe('stopped');
  expect(done).toEqual(['trouble', 'recovered', 'stop', 'pull', 'remove']);
});

test('a disk here that is full is told once, and tried again', async () => {
  const full = new HeadroomError('STORE_FULL', 'no space');
  const { run, done } = sessionAnswering({ state: [stateAt(1)], pull: [full, full, null] });
  expect(await run({ pullEveryMs: 0 })).toBe('stopped');
  expect(done.slice(0, 5)).toEqual(['pull', 'trouble', 'pull', 'pull', 'recovered']);
});

test('contact that does not come back is an end where it is said so', async () => {
  const { run } = sessionAnswering({ state: [noAnswer] });
  expect(await run({ lostAfterMs: 0 })).toBe('lost');
});

test('a copy that is not there is no session that is not there', async () => {
  const { run, done } = sessionAnswering({ state: [stateAt(1)], pull: [notThere, null] });
  expect(await run({ pullEveryMs: 0 })).toBe('stopped');
  expect(done.slice(0, 4)).toEqual(['pull', 'trouble', 'pull', 'recovered']);
});

function structuredAnswers(answers: object): Parameters<typeof sessionAnswering>[0] {
  return Object.fromEntries(
    Object.entries(answers).map(([key, list]) => [key, Array.isArray(list) ? [...list] : list]),
  ) as unknown as Parameters<typeof sessionAnswering>[0];
}
