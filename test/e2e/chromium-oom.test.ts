import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionReport } from '../../src/analysis/session-report.ts';
import type { OomKill } from '../../src/model/event.ts';
import type { ProcessRecord, ProcessSample, Recording } from '../../src/model/recording.ts';
import type { Tick } from '../../src/model/session-memory.ts';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { type KernelKill, KernelKills } from '../support/kernel-kills.ts';
import { ownKill, recordUntilKill, warmUpChromium } from '../support/oom-recording.ts';

const MiB = 2 ** 20;

const folder = temporaryFolder();

beforeAll(warmUpChromium);

afterAll(() => folder[Symbol.dispose]());

// Both are bounded by what page faults cost: 120 MB/s on the machine this was written on.
describe.each([
  {
    name: 'a page that leaks 12 MiB every 100 ms, in 400 MiB',
    limit: '400MiB',
    script: 'setInterval(() => kept.push(new Uint8Array(12 << 20).fill(1)), 100);',
  },
  {
    name: 'a page whose workers take all they get, in 1 GiB',
    limit: '1GiB',
    script: `
      const eat = 'const kept = []; for (;;) kept.push(new Uint8Array(8 << 20).fill(1));';
      const url = URL.createObjectURL(new Blob([eat]));
      kept.push(new Worker(url), new Worker(url));`,
  },
])('$name', ({ limit, script }) => {
  let recording: Recording;
  let report: SessionReport;
  let kill: OomKill;
  let kernelKill: KernelKill | undefined;
  let victim: ProcessRecord | undefined;
  /** Up to the kill, oldest first. */
  let ticks: Tick[];
  let rows: ProcessSample[];

  beforeAll(async () => {
    const file = folder.file(`${limit}.db`);
    using kernelKills = new KernelKills();
    await recordUntilKill(file, limit, `const kept = [];${script}`);
    recording = openRecording(file);
    report = JSON.parse((await runCli('report', file, '--json')).stdout);
    kill = ownKill(recording);
    kernelKill = kernelKills.read().findLast(({ pid }) => pid === kill.pid);
    victim = recording.processes().findLast(({ pid }) => pid === kill.pid);
    const before = { toUnixMs: kill.timeUnixMs ?? 0 };
    ticks = [...recording.ticks(before)];
    rows = [...recording.processSamples(before, victim?.process ?? 0)];
    tell();
  });

  afterAll(() => recording?.close());

  test('the kill is recorded as the kernel logged it', () => {
    expect(kernelKill).toBeDefined();
    expect(kill).toMatchObject({
      pid: kernelKill?.pid,
      rssBytes: kernelKill?.rssBytes,
      kernelMs: kernelKill?.kernelMs,
      scope: 'cgroup',
      beforeStart: false,
    });
  });

  test('its victim is a process of the browser, and the last sample has its size', () => {
    expect(victim?.role).toBeOneOf(['renderer', 'browser']);
    expect(rows.length).toBeGreaterThan(0);
    const killedBytes = kernelKill?.rssBytes ?? Number.NaN;
    // A victim that is read between its SIGKILL and the kernel's line has no memory any more: unknown.
    const lastKnown = rows.findLast(({ rssBytes }) => rssBytes !== null)?.rssBytes;
    // At 300 MB/s a sample that is 0.1 s old is 30 MB short.
    expect(lastKnown).toBeGreaterThan(0.85 * killedBytes);
    expect(lastKnown).toBeLessThan(1.05 * killedBytes);
  });

  test('samples came fast before it', () => {
    expect(recording.facts.intervalMs).toBe(1_000);
    const last = ticks.slice(-4);
    expect(last.map(({ intervalMs }) => intervalMs)).toEqual([100, 100, 100, 100]);
    const notes = recording.events({ toUnixMs: last[0]?.timeUnixMs ?? 0 });
    expect(notes).toContainEqual(expect.objectContaining({ code: 'cadence_changed' }));
    expect(median(distances(ticks.slice(-8)))).toBeLessThan(300);
  });

  test('its growth is seen in steps', () => {
    const sizes = rows.map(({ rssBytes }) => rssBytes ?? 0);
    const half = (kernelKill?.rssBytes ?? Number.NaN) / 2;
    const steps = sizes.filter((bytes, at) => bytes > Math.max(half, ...sizes.slice(0, at)));
    expect(steps.length).toBeGreaterThanOrEqual(3);
  });

  test('the report says what died of what', () => {
    expect(report.verdict.kind).toBe('kernel_oom');
    expect(report.leads).toContainEqual(
      expect.objectContaining({ of: 'kernel_oom', timeUnixMs: kill.timeUnixMs }),
    );
    expect(report.oomKills).toContainEqual(
      expect.objectContaining({
        pid: kernelKill?.pid,
        role: victim?.role,
        rssBytes: kernelKill?.rssBytes,
        attribution: 'pid',
        inSession: true,
      }),
    );
  });

  function tell(): void {
    const ageMs = Math.round((kill.timeUnixMs ?? 0) - (ticks.at(-1)?.timeUnixMs ?? 0));
    const lead = report.leads.find(({ timeUnixMs }) => timeUnixMs === kill.timeUnixMs);
    const sizes = rows.slice(-8).map(({ rssBytes }) => Math.round((rssBytes ?? 0) / MiB));
    console.log(
      `${limit}: ${victim?.role} of ${Math.round((kill.rssBytes ?? 0) / MiB)} MiB, ` +
        `last sample ${ageMs} ms before its kill; it is in ${rows.length}, the last: ${sizes.join(' ')} MiB, ` +
        `${distances(ticks.slice(-8)).join(' ')} ms apart; warned ${lead?.leadMs ?? 'never'} ms before`,
    );
  }
});

function distances(ticks: readonly Tick[]): number[] {
  return ticks.slice(1).map(({ monotonicMs }, at) => monotonicMs - (ticks[at]?.monotonicMs ?? 0));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
