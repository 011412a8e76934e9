import { expect, test } from 'vitest';
import { analyse } from '../../../src/analysis/session-report.ts';
import type { ProcessExit } from '../../../src/model/event.ts';
import { Ownership } from '../../../src/report/page/ownership.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import { fakeOomKill, fakeProcess, fakeSample, startUnixMs } from '../../support/fake-sample.ts';

const at = (second: number) => startUnixMs + second * 1000;
const browser = fakeProcess({ pid: 30, role: 'browser', browserPid: 30 });
const renderer = fakeProcess({ pid: 31, role: 'renderer', browserPid: 30 });
const foreign = fakeProcess({ pid: 90, role: 'browser', browserPid: null });
const seconds = Array.from({ length: 10 }, (_, second) => second);
const samples = seconds.map((second) =>
  fakeSample({
    second,
    cgroup: { path: '/session' },
    processes: second <= 5 ? [browser, renderer, foreign] : [browser],
  }),
);

const killed = { timeUnixMs: at(5.2), comm: 'chromium' };
const ours = fakeOomKill({ ...killed, pid: 31, cgroup: '/session' });
const others = fakeOomKill({ ...killed, pid: 4, comm: 'cc1', cgroup: '/build' });
// On the machine, of a process that nobody here has seen.
const nobodys = fakeOomKill({ ...killed, pid: 5, comm: 'dd', scope: 'machine', cgroup: null });
const older = fakeOomKill({ ...killed, pid: 6, comm: 'dd', beforeStart: true });

function endOf({ pid, startTicks, role }: typeof browser): ProcessExit {
  const unknown = { exitCode: null, signal: null, source: 'vanished' } as const;
  return { kind: 'process_exit', timeUnixMs: at(6), pid, startTicks, role, ...unknown };
}

test('kills and ends are the session’s, or not, or nobody knows, as the report has it', () => {
  const ends = [endOf(renderer), endOf(foreign)];
  const events = [ours, others, nobodys, older, ...ends];
  const ownership = new Ownership();
  expect(events.map((event) => ownership.of(event))).toEqual([
    'unknown',
    'unknown',
    'unknown',
    null,
    'session',
    'session',
  ]);
  ownership.learn(analyse(fakeRecording({ samples, events })));
  expect(events.map((event) => ownership.of(event))).toEqual([
    'session',
    'outside',
    'unknown',
    null,
    'session',
    'outside',
  ]);
});

test('an end that a file has marked is outside, also where its report has not the process', () => {
  const ownership = new Ownership();
  ownership.learn({ oomKills: [], processes: [] });
  expect(ownership.of({ ...endOf(foreign), isOutside: true })).toBe('outside');
});
