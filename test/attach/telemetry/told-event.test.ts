import { describe, expect, test } from 'vitest';
import { isSameKill, isTold } from '../../../src/attach/telemetry/same-event.ts';
import { toldEvent } from '../../../src/attach/telemetry/told-event.ts';
import type { ProcessExit } from '../../../src/model/event.ts';
import { fakeOomKill, startUnixMs } from '../../support/fake-sample.ts';

const told = (type: string, data: object) =>
  toldEvent({ sequence: 1, timeUnixMs: startUnixMs + 0.4, type, data: { ...data } });

describe('what telemetry tells as an event', () => {
  test('a kill, with everything that can be told of it', () => {
    const kill = told('system_oom_kill', {
      process_name: 'chromium',
      pid: 4018,
      rss_kb: 702_000,
      constraint: 'memcg',
      trigger_process_name: 'node',
      trigger_pid: 77,
      top_tasks: [
        { pid: 4018, name: 'chromium', rss_kb: 702_000 },
        { pid: 12, name: 'Xvfb', rss_kb: 40_000 },
      ],
    });
    expect(kill).toMatchObject({
      kind: 'oom_kill',
      context: 'telemetry',
      kmsgSequence: null,
      pid: 4018,
      comm: 'chromium',
      rssBytes: 718_848_000,
      scope: 'cgroup',
      triggerPid: 77,
      triggerComm: 'node',
      largestOtherPid: 12,
      largestOtherComm: 'Xvfb',
      largestOtherRssBytes: 40_960_000,
      beforeStart: false,
    });
  });

  test.each([
    ['none', 'machine'],
    ['cpuset', 'cpuset'],
    ['memory_policy', 'mempolicy'],
    ['of tomorrow', 'unknown'],
    [undefined, 'unknown'],
  ])('constraint %j: scope %s', (constraint, scope) => {
    const kill = told('system_oom_kill', { process_name: 'a', pid: 1, rss_kb: 1, constraint });
    expect(kill).toMatchObject({ scope, triggerPid: null, largestOtherPid: null });
  });

  test('a service, with and without a process', () => {
    const crash = { service_name: 'chromium', phase: 'running', pid: 31 };
    expect(told('service_crashed', crash)).toEqual({
      kind: 'note',
      code: 'service_crashed',
      timeUnixMs: startUnixMs,
      message: "the session's telemetry: service chromium crashed (running), pid 31",
    });
    expect(told('service_crashed', { service_name: 'mutter', phase: 'gave_up' })).toMatchObject({
      message: "the session's telemetry: service mutter crashed (gave_up)",
    });
  });

  test('a name is text of one line, and of no length', () => {
    const name = `a\u001b[2J\n${'x'.repeat(500)}`;
    const kill = told('system_oom_kill', { process_name: name, pid: 1, rss_kb: -1 });
    expect(kill).toMatchObject({ comm: `a\\x1b[2J\\x0a${'x'.repeat(58)}`, rssBytes: null });
  });

  test.each([
    ['page_crashed', { url: 'http://x' }],
    ['system_oom_kill', { process_name: 'a' }],
    ['system_oom_kill', { pid: '12', process_name: 'a' }],
    ['service_crashed', { phase: 'running' }],
  ])('%s %j: nothing', (type, data) => {
    expect(told(type, data)).toBeNull();
  });
});

describe('two witnesses of one kill', () => {
  const own = fakeOomKill({ pid: 7, comm: 'a', timeUnixMs: startUnixMs, rssBytes: 4096 });
  const other = { context: 'telemetry', rssBytes: 8192 } as const;
  test.each([
    ['seconds apart', { timeUnixMs: startUnixMs + 9_000 }, true],
    ['half a minute apart', { timeUnixMs: startUnixMs + 30_000 }, false],
    // Of a VM that has slept (kernel-images, pull request 288).
    ['hours apart and of one size', { timeUnixMs: startUnixMs - 7_200_000, rssBytes: 4096 }, true],
    ['of another pid', { pid: 8, timeUnixMs: startUnixMs, rssBytes: 4096 }, false],
    ['of sizes that nobody told', { timeUnixMs: startUnixMs - 60_000, rssBytes: null }, false],
  ])('%s', (_, parts, isSame) => {
    const kill = fakeOomKill({ pid: 7, comm: 'a', ...other, ...parts });
    expect(isSameKill(own, kill)).toBe(isSame);
    expect(isSameKill(kill, own)).toBe(isSame);
  });

  const crash = told('service_crashed', { service_name: 'chromium', phase: 'running', pid: 7 });
  const exit: ProcessExit = {
    kind: 'process_exit',
    timeUnixMs: startUnixMs + 1_000,
    pid: 7,
    startTicks: 70,
    role: 'browser',
    exitCode: null,
    signal: null,
    source: 'vanished',
  };
  test.each([
    [exit, false],
    [{ ...exit, signal: 'SIGSEGV' }, true],
    [{ ...exit, exitCode: 1 }, true],
    [{ ...exit, exitCode: 1, pid: 8 }, false],
    [{ ...exit, exitCode: 1, timeUnixMs: startUnixMs + 60_000 }, false],
  ])('a crash beside the end of a process: %j', (end, isKnown) => {
    if (crash === null) throw new Error('no event');
    expect(isTold(crash, [end])).toBe(isKnown);
  });
});
