import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
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
