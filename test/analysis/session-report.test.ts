import { expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import type { Note } from '../../src/model/event.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { goldenRecording } from '../support/golden-recording.ts';

// Every figure below follows by hand from the story that test/support/golden-recording.ts tells.
const report = analyse(goldenRecording());

test('coverage: 101 samples, one missed tick, ten minutes asleep', () => {
  expect(report.coverage).toEqual({
    samples: 101,
    intervalMs: 1000,
    missedTicks: 1,
    firstUnixMs: startUnixMs,
    lastUnixMs: startUnixMs + 700_000,
    lengthMs: 700_000,
    forks: null,
    gaps: [
      {
        fromUnixMs: startUnixMs + 19_000,
        toUnixMs: startUnixMs + 620_000,
        kind: 'standby',
        missingMs: 600_000,
      },
    ],
    resolutions: [
      {
        resolution: 'ticks',
        fromUnixMs: startUnixMs,
        toUnixMs: startUnixMs + 700_000,
        samples: 101,
      },
    ],
  });
});

test('memory: working set 140 MiB after the kill, else 190 + 2 MiB a second', () => {
  const { workingSetBytes, availableBytes, peakBytes } = report.memory;
  // 101 samples of one second: rank 51 is 190 + 2 × 49, rank 91 is 190 + 2 × 89, and so on.
  expect(workingSetBytes).toEqual({
    p50: 288 * mib,
    p90: 368 * mib,
    p95: 378 * mib,
    p99: 386 * mib,
    max: 388 * mib,
  });
  // The limit of 400 MiB less that, although the machine has 7000 MiB.
  expect(availableBytes).toEqual({ min: 12 * mib, p1: 14 * mib, p50: 112 * mib });
  expect(peakBytes).toEqual({ value: 400 * mib, source: 'memory.peak', beforeStart: false });
  expect(report.memory).toMatchObject({ headroomMinBytes: 12 * mib, headroomMinRatio: 0.03 });
});

test('pressure: 20 ms of each second, over 100 s', () => {
  expect(report.pressure).toMatchObject({ memoryFullMs: 2000, memorySomeMs: 4000 });
  expect(report.pressure.memoryFullRatioMax).toBe(0.02);
});

test('browser: two processes, the renderer the larger at the end', () => {
  expect(report.browser.processesMax).toBe(2);
  expect(report.browser.pssBytes.max).toBe((100 + 20 + 50 + 198) * mib);
  expect(report.browser.rssSumBytes.max).toBe((180 + 80 + 50 + 198) * mib);
  expect(report.roles).toMatchObject([
    { role: 'browser', processesMax: 1, pssBytes: { p50: 100 * mib }, cpuSeconds: 20 },
    { role: 'renderer', processesMax: 1, pssBytes: { max: 268 * mib }, cpuSeconds: 9.9 },
  ]);
});

test('processes: the biggest first, the killed one with its end', () => {
  expect(report.processes.map(({ pid }) => pid)).toEqual([110, 100, 50]);
  expect(report.processes[0]).toMatchObject({
    peakPssBytes: 268 * mib,
    peakRssBytes: 328 * mib,
    // It slept for most of its 699 s, so a growth per minute means nothing.
    growthBytesPerMinute: null,
    exit: { timeUnixMs: startUnixMs + 700_000, code: null, signal: null },
  });
});

test('the kill, the death and the verdict', () => {
  expect(report.oomCounts).toEqual({
    machine: 1,
    cgroup: 1,
    cgroupOutside: 0,
    recorded: 1,
    withoutRecord: 0,
  });
  expect(report.deaths).toEqual([
    {
      timeUnixMs: startUnixMs + 699_500,
      pid: 110,
      role: 'renderer',
      comm: 'chromium',
      verdict: 'kernel_oom',
      certainty: 'recorded',
      signal: 'SIGKILL',
      exitCode: null,
      evidence: ['kmsg:1234'],
    },
  ]);
  expect(report.verdict.kind).toBe('kernel_oom');
  expect(report.verdict.summary).toBe(
    "The kernel's OOM killer ended a renderer process (pid 110, 330 MiB resident) at 2026-11-29T14:11:39Z: its memory cgroup was at its limit of 400 MiB.",
  );
});

test('the recorder: 10 ms of CPU a second', () => {
  expect(report.recorder).toEqual({
    cpuSeconds: 1,
    cpuMsPerSecond: 10,
    rssBytesMax: 45 * mib,
    readMsMax: 12.5,
    latenessMsMax: 2,
    protection: null,
  });
});

test('what the recorder did for itself: of its latest run, and no note', () => {
  const note = (second: number, message: string): Note => ({
    kind: 'note',
    timeUnixMs: startUnixMs + second * 1000,
    code: 'self_protection',
    message,
  });
  const samples = [0, 1, 2].map((second) => fakeSample({ second }));
  const events = [note(0, 'as a user'), note(2, 'as root')];
  const { recorder, notes } = analyse(fakeRecording({ samples, events }));
  expect(recorder.protection).toBe('as root');
  expect(notes).toEqual([]);
  const part = { fromUnixMs: startUnixMs + 1000, toUnixMs: startUnixMs + 1000 };
  expect(analyse(fakeRecording({ samples, events }), part).recorder.protection).toBe('as root');
});
