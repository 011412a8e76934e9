import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import type { SessionReport } from '../../src/analysis/session-report.ts';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { servePage } from '../support/page-server.ts';
import { patience, RecordedBrowser } from '../support/recorded-browser.ts';
import { expectNothingLostSilently, tickCountOfSchedule } from '../support/recorded-schedule.ts';
import { untilRecorded } from '../support/until-recorded.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test('a recorder that was stopped for 5 s says so, and goes on', async () => {
  const file = folder.file('stopped.db');
  const args = ['record', '--quiet', '--interval', '500ms', '--for', '10s', '--out', file];
  const { child, result } = startCli(args);
  await untilRecorded(file, 3);
  child.kill('SIGSTOP');
  await sleep(5_000);
  child.kill('SIGCONT');
  expect((await result).exitCode).toBe(0);

  using recording = openRecording(file);
  const stalls = recording.events().filter((event) => event.kind === 'gap');
  const longest = stalls.toSorted((a, b) => b.wallMs - a.wallMs)[0];
  expect(longest?.gap).toBe('stall');
  // From the last sample before, half a second at most, to the first one after.
  expect(longest?.monotonicMs).toBeGreaterThanOrEqual(4_990);
  expect(Math.abs((longest?.wallMs ?? 0) - (longest?.monotonicMs ?? 0))).toBeLessThan(100);
  expectNothingLostSilently(recording);
  // Seconds 0 to 10, twice a second.
  expect(tickCountOfSchedule(recording)).toBe(21);
  expect(recording.lastTick()?.collector.missedTickCount).toBeGreaterThanOrEqual(9);

  const report = JSON.parse((await runCli('report', file, '--json')).stdout);
  expect(report.coverage).toMatchObject({
    samples: recording.tickCount(),
    missedTicks: recording.lastTick()?.collector.missedTickCount,
  });
  expect(report.coverage.gaps).toContainEqual(
    expect.objectContaining({ kind: 'stall', toUnixMs: longest?.toUnixMs }),
  );
});

test('a wall clock that is set forward by ten minutes is a gap of that length', async () => {
  const file = folder.file('set-forward.db');
  const mark = folder.file('now');
  // Date.now alone moves, as for a program whose virtual machine was stopped for so long.
  const shift = `import { existsSync } from 'node:fs';
    const now = Date.now;
    Date.now = () => now() + (existsSync(${JSON.stringify(mark)}) ? 600000 : 0);`;
  const args = ['record', '--quiet', '--interval', '500ms', '--out', file];
  const { child, result } = startCli(args, withClocks(shift));
  const samplesSince = (unixMs: number) => {
    expect(existsSync(file)).toBe(true);
    using recording = openRecording(file);
    return recording.tickCount({ fromUnixMs: unixMs });
  };
  try {
    await vi.waitFor(() => expect(samplesSince(0)).toBeGreaterThan(2), patience);
    writeFileSync(mark, '');
    const later = Date.now() + 300_000;
    await vi.waitFor(() => expect(samplesSince(later)).toBeGreaterThan(2), patience);
  } finally {
    child.kill('SIGTERM');
    await result;
  }
  const report = JSON.parse((await runCli('report', file, '--json')).stdout);
  const steps = report.coverage.gaps.filter(({ kind }: { kind: string }) => kind === 'clock_step');
  expect(steps).toHaveLength(1);
  // The two clocks are read one after the other, with whatever else the machine does between.
  expect(Math.abs(steps[0].missingMs - 600_000)).toBeLessThan(10_000);
  expect(report.coverage.lengthMs).toBeLessThan(300_000);
});

test('a session that stands still with its Chromium: stopped, asleep, and paused from outside', async () => {
  const file = folder.file('standby.db');
  const sleptMs = folder.file('slept-ms');
  const paused = folder.file('paused');
  // While a machine sleeps its monotonic clock stands, and the others go on; of a virtual machine that is
  // paused from outside both stand, and then the wall clock is set.
  const clocks = `import { existsSync, readFileSync } from 'node:fs';
    const slept = ${JSON.stringify(sleptMs)};
    const { now } = Date;
    const { bigint } = process.hrtime;
    Date.now = () => now() + (existsSync(${JSON.stringify(paused)}) ? 600000 : 0);
    process.hrtime.bigint = () =>
      bigint() - (existsSync(slept) ? BigInt(readFileSync(slept, 'utf8')) * 1000000n : 0n);`;
  const page = await servePage('<!doctype html><title>asleep</title>');
  onTestFinished(() => page.close());
  const browser = new RecordedBrowser({
    file,
    browserFlags: ['--remote-debugging-port=0', page.url],
    env: withClocks(clocks),
  });
  onTestFinished(() => browser.stop());
  const { pid } = await browser.living('browser');
  const pause = async (before: (pausedMs: number) => void): Promise<number> => {
    const resume = await browser.pause();
    const fromUnixMs = Date.now();
    try {
      await sleep(2_000);
      before(Date.now() - fromUnixMs);
    } finally {
      resume();
    }
    return fromUnixMs + 1;
  };
  const stoppedAt = await pause(() => undefined);
  await browser.recordedBeyond(stoppedAt, 3_000);
  const asleepAt = await pause((ms) => {
    writeFileSync(`${sleptMs}-new`, `${ms}`);
    renameSync(`${sleptMs}-new`, sleptMs);
  });
  await browser.recordedBeyond(asleepAt, 3_000);
  const pausedAt = await pause(() => writeFileSync(paused, ''));
  await browser.recordedBeyond(pausedAt, 602_500);
  expect((await browser.living('browser')).pid).toBe(pid);
  await browser.stop();

  const report: SessionReport = JSON.parse((await runCli('report', file, '--json')).stdout);
  const gapsAt = (unixMs: number) =>
    report.coverage.gaps.filter((gap) => gap.fromUnixMs < unixMs && unixMs < gap.toUnixMs);
  expect(gapsAt(stoppedAt)).toMatchObject([{ kind: 'stall' }]);
  expect(gapsAt(asleepAt)).toMatchObject([{ kind: 'standby' }]);
  expect(gapsAt(pausedAt)).toMatchObject([{ kind: 'clock_step' }]);
  expect(gapsAt(asleepAt)[0]?.missingMs).toBeGreaterThanOrEqual(1_900);
  expect(Math.abs((gapsAt(pausedAt)[0]?.missingMs ?? 0) - 600_000)).toBeLessThan(10_000);
  expect(report.coverage.lengthMs).toBeLessThan(300_000);
  // Nobody died of it, and nothing was wrong.
  expect(report.verdict.kind).toBe('healthy');
  expect(report.deaths.filter(({ verdict }) => verdict !== 'exited')).toEqual([]);
});

/** An environment in which a program of Node.js runs this first. */
function withClocks(program: string): NodeJS.ProcessEnv {
  const url = `data:text/javascript,${encodeURIComponent(program)}`;
  return { ...process.env, NODE_OPTIONS: `--import=${url}` };
}
