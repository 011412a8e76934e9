import { expect, test } from 'vitest';
import { recordKills } from '../support/kill-series.ts';

// bench/kills.ts does it 200 times and measures the distance of the last sample.
test('every kill is recorded with its pid, role and size, and its victim was seen before', async () => {
  const kills = await recordKills(10);
  expect(kills).toHaveLength(10);
  for (const { inKernelLog, recorded, role, sampleCount } of kills) {
    expect(recorded).toMatchObject({
      pid: inKernelLog.pid,
      comm: 'chromium',
      rssBytes: inKernelLog.rssBytes,
      scope: 'cgroup',
      oomScoreAdj: 300,
    });
    expect(role).toBe('renderer');
    expect(sampleCount).toBeGreaterThanOrEqual(3);
  }
});
