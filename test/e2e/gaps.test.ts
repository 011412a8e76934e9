import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { patience } from '../support/recorded-browser.ts';
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
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}`,
  };
  const args = ['record', '--quiet', '--interval', '500ms', '--out', file];
  const { child, result } = startCli(args, env);
  const samplesSince = (unixMs: number) => {
    expect(fs.existsSync(file)).toBe(true);
    using recording = openRecording(file);
    return recording.tickCount({ fromUnixMs: unixMs });
  };
  try {
    await vi.waitFor(() => expect(samplesSince(0)).toBeGreaterThan(2), patience);
    fs.writeFileSync(mark, '');
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
