import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyse } from '../../src/analysis/session-report.ts';
import { openRecording } from '../../src/store/reader.ts';
import { writeEventfulRecording } from '../support/eventful-recording.ts';
import { exportUnderFaults, type FaultReport } from '../support/export-faults.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

// The long version: `npm run bench export-faults`. A seed that failed: HEADROOM_SEED=… npm test -- export-faults
const seed = Number(process.env['HEADROOM_SEED'] ?? Date.now() % 2 ** 31);

describe(`an export that is killed, to a receiver that fails (seed ${seed})`, () => {
  const folder = temporaryFolder();
  const file = folder.file('a.db');
  let report: FaultReport;

  beforeAll(async () => {
    writeEventfulRecording(file, { tickCount: 130, processCount: 12 });
    report = await exportUnderFaults({ file, faultCount: 30, seed });
  });
  afterAll(() => folder[Symbol.dispose]());

  test.each(['points', 'events'] as const)(
    'all %s are there with one value at their own time, or counted with their reason',
    (signal) => {
      const { expected, strange, wrong, missing, cursor } = report[signal];
      expect(expected).toBeGreaterThan(20);
      expect(strange).toEqual([]);
      expect(wrong).toEqual([]);
      const { sentCount = 0, droppedCount = 0, rejectedCount = 0, detail } = cursor ?? {};
      expect(sentCount + droppedCount).toBe(expected);
      expect(missing.length).toBeLessThanOrEqual(droppedCount + rejectedCount);
      const { dropped } = JSON.parse(detail ?? '');
      const reasons = Object.values<number>(dropped).reduce((sum, count) => sum + count, 0);
      expect(reasons).toBe(droppedCount);
    },
  );

  test('percentiles and counters read back are those of the report', () => {
    using recording = openRecording(file);
    const { workingSetBytes } = analyse(recording).memory;
    const arrived = (metric: string) =>
      [...report.arrivals.points].filter(([key]) => key.startsWith(`${metric} `));
    const percentiles = arrived('headroom.rollup.memory.working_set').filter(([key]) =>
      key.includes('headroom.rollup.window,session'),
    );
    for (const [key, values] of percentiles) {
      const stat = /rollup\.stat,(p\d+)/.exec(key)?.[1] as 'p50' | undefined;
      if (stat !== undefined) expect([...values]).toEqual([String(workingSetBytes[stat])]);
    }
    const kills = arrived('headroom.oom.kills').flatMap(([, values]) => [...values].map(Number));
    const recorded = recording.events().filter(({ kind }) => kind === 'oom_kill').length;
    expect(Math.max(...kills)).toBe(recorded);
  });
});
