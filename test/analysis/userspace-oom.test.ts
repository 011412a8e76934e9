import { describe, expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { Note, ProcessExit } from '../../src/model/event.ts';
import type { ProcessReading, Sample } from '../../src/model/sample.ts';
import { renderText } from '../../src/report/text.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

const at = (second: number) => startUnixMs + second * 1000;
const cgroup = '/user.slice/app.slice/browser.scope';
const browser = fakeProcess({ pid: 100, role: 'browser', cgroup });
const renderer = fakeProcess({ pid: 110, role: 'renderer', cgroup });
const earlyoom = fakeProcess({ pid: 70, role: 'other', comm: 'earlyoom' });

interface Story {
  /** What is available of 1024 MiB in the last seconds before the browser ends at second 40. */
  availableMib?: number;
  swapFreeMib?: number;
  /** Share of the time that tasks wait for memory. */
  waiting?: number;
  others?: ProcessReading[];
  browserUntil?: number;
  rendererUntil?: number;
}

function samples(story: Story): Sample[] {
  const { availableMib = 700, swapFreeMib, waiting = 0, others = [] } = story;
  const { browserUntil = 40, rendererUntil = 40 } = story;
  return Array.from({ length: 60 }, (_, second) =>
    fakeSample({
      second,
      machine: {
        availableBytes: (second > 35 && second <= 40 ? availableMib : 700) * mib,
        ...(swapFreeMib === undefined
          ? {}
          : { swapTotalBytes: 1000 * mib, swapFreeBytes: swapFreeMib * mib }),
      },
      pressure: { memorySomeMs: 1000 * second * waiting, memoryFullMs: 0 },
      activity: { oomKillCount: 5 },
      processes: [
        ...(second <= browserUntil ? [browser] : []),
        ...(second <= rendererUntil ? [renderer] : []),
        ...others,
      ],
    }),
  );
}

function ended(pid: number, signal: string, second = 41): ProcessExit {
  return {
    kind: 'process_exit',
    timeUnixMs: at(second),
    pid,
    startTicks: pid * 10,
    role: pid === 100 ? 'browser' : 'renderer',
    exitCode: null,
    signal,
    source: 'connector',
  };
}

function line(message: string, second = 40): Note {
  return { kind: 'note', timeUnixMs: at(second), code: 'userspace_oom', message };
}

const ofEarlyoom = (pid: number) =>
  line(
    `earlyoom[70]: sending SIGTERM to process ${pid} uid 0 "chromium": badness 871, VmRSS 380 MiB`,
  );
const ofOomd = (path: string) =>
  line(
    `systemd-oomd[70]: Killed ${path} due to memory pressure for /user.slice being 82.36% > 80.00% for > 20s with reclaim activity`,
  );

function deathOf(pid: number, story: Story, events: readonly (ProcessExit | Note)[]) {
  const report = analyse(fakeRecording({ samples: samples(story), events }));
  return { report, death: report.deaths.find((death) => death.pid === pid) };
}

describe('nothing is in the log', () => {
  const swap = { swapFreeMib: 50 };
  test.each<[string, Story, string]>([
    ['memory was short, and earlyoom ran', { availableMib: 90, others: [earlyoom] }, 'inferred'],
    ['swap was short as well', { availableMib: 90, ...swap, others: [earlyoom] }, 'inferred'],
    ['tasks waited for memory', { waiting: 0.6, others: [earlyoom] }, 'inferred'],
    ['memory was not short', { availableMib: 150, others: [earlyoom] }, 'killed'],
    ['swap was left', { availableMib: 90, swapFreeMib: 500, others: [earlyoom] }, 'killed'],
    ['no daemon ran', { availableMib: 90 }, 'killed'],
  ])('%s', (_, story, outcome) => {
    for (const signal of ['SIGTERM', 'SIGKILL']) {
      const { death } = deathOf(100, story, [ended(100, signal)]);
      const isKilled = outcome === 'killed';
      expect(death).toMatchObject({
        verdict: isKilled ? 'killed' : 'userspace_oom',
        certainty: isKilled ? 'recorded' : 'inferred',
      });
      const wasRunning = death?.evidence.includes('earlyoom (pid 70) was running');
      expect(wasRunning).toBe(story.others !== undefined);
    }
  });

  test('in words, with the figure', () => {
    const story = { availableMib: 51.2, others: [earlyoom] };
    const { report, death } = deathOf(100, story, [ended(100, 'SIGKILL')]);
    expect(death?.evidence.at(-1)).toBe(
      "only 5.0 % of the machine's memory was available at 2026-11-29T14:00:36Z",
    );
    expect(report.verdict.kind).toBe('userspace_oom');
    expect(report.verdict.summary).toBe(
      'The browser process (pid 100) was ended with SIGKILL at 2026-11-29T14:00:41Z, most likely by a user-space OOM daemon: one was running, and memory was short.',
    );
    expect(renderText(report)).toMatch(/^Killed by a user-space OOM daemon\n/);
    expect(report.verdict.advice[0]).toContain('earlyoom --avoid');
  });

  test('a renderer that ends by SIGTERM is a closed tab all the same', () => {
    const story = { availableMib: 51, browserUntil: 59, others: [earlyoom] };
    expect(deathOf(110, story, [ended(110, 'SIGTERM')]).death).toBeUndefined();
  });

  test('a daemon that was gone before did nothing', () => {
    const all = samples({ availableMib: 51 }).map((sample, second) =>
      second < 20 ? { ...sample, processes: [...sample.processes, earlyoom] } : sample,
    );
    const report = analyse(fakeRecording({ samples: all, events: [ended(100, 'SIGKILL')] }));
    expect(report.deaths).toMatchObject([{ verdict: 'killed' }]);
  });
});

describe('the daemon wrote into the kernel log', () => {
  test('earlyoom and a renderer', () => {
    const events = [ofEarlyoom(110), ended(110, 'SIGTERM')];
    const { report, death } = deathOf(110, { browserUntil: 59 }, events);
    expect(death).toMatchObject({ verdict: 'userspace_oom', certainty: 'recorded' });
    expect(death?.evidence[1]).toContain(
      'earlyoom wrote at 2026-11-29T14:00:40Z: earlyoom[70]: se',
    );
    expect(report.verdict.summary).toContain('which says so in the kernel log');
  });

  test('systemd-oomd and a cgroup above the browser’s', () => {
    const events = [ofOomd('/user.slice/app.slice'), ended(100, 'SIGKILL'), ended(110, 'SIGKILL')];
    const { report } = deathOf(100, {}, events);
    expect(report.deaths.map(({ pid, verdict }) => [pid, verdict])).toEqual([
      [100, 'userspace_oom'],
      [110, 'userspace_oom'],
    ]);
  });

  test.each([
    ['another process', ofEarlyoom(111)],
    ['another cgroup', ofOomd('/user.slice/app')],
    ['another time', { ...ofEarlyoom(100), timeUnixMs: at(20) }],
  ])('%s', (_, note) => {
    const { death } = deathOf(100, {}, [note, ended(100, 'SIGKILL')]);
    expect(death).toMatchObject({ verdict: 'killed' });
  });
});
