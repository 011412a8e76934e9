import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { analyse, type SessionReport } from '../../src/analysis/session-report.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeFacts } from '../support/fake-sample.ts';
import { goldenParts, goldenRecording } from '../support/golden-recording.ts';

let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-analysis-'));
});

afterEach(() => {
  fs.rmSync(folder, { recursive: true });
});

function analyseStored(): SessionReport {
  const { samples, events = [], facts } = goldenParts();
  const file = path.join(folder, 'golden.db');
  const { endedUnixMs, endReason, ...started } = fakeFacts(facts);
  const writer = StoreWriter.open(file, { ...started, endedUnixMs: null, endReason: null });
  for (const sample of samples) {
    writer.writeSample(
      sample,
      events.filter(
        (event) =>
          (event.timeUnixMs ?? 0) > sample.timeUnixMs - 1000 &&
          (event.timeUnixMs ?? 0) <= sample.timeUnixMs,
      ),
    );
  }
  writer.close({ endedUnixMs: endedUnixMs ?? 0, endReason: endReason ?? 'duration' });
  return analyse(file);
}

// The fake recording's figures are exact and checked by hand in session-report.test.ts; those of a
// file come from sketches, to 1.1 %.
test('a file gives the same report as the samples that went into it', () => {
  const stored = analyseStored();
  const exact = analyse(goldenRecording());
  expect(stored).toMatchObject({
    session: exact.session,
    coverage: exact.coverage,
    pressure: exact.pressure,
    oomKills: exact.oomKills,
    oomCounts: exact.oomCounts,
    deaths: exact.deaths,
    recorder: exact.recorder,
    notes: exact.notes,
    verdict: exact.verdict,
  });
  expect(stored.processes.map(({ pid, exit }) => [pid, exit])).toEqual(
    exact.processes.map(({ pid, exit }) => [pid, exit]),
  );
  for (const name of ['p50', 'p90', 'p95', 'p99', 'max'] as const) {
    for (const figure of ['unreclaimableBytes', 'pssBytes', 'rssSumBytes'] as const) {
      expectClose(stored.browser[figure][name], exact.browser[figure][name]);
    }
    expectClose(stored.memory.workingSetBytes[name], exact.memory.workingSetBytes[name]);
  }
  expect(stored.memory.headroomMinBytes).toBe(exact.memory.headroomMinBytes);
  expect(stored.memory.peakBytes).toEqual(exact.memory.peakBytes);
  expect(stored.roles.map(({ role, processesMax }) => [role, processesMax])).toEqual(
    exact.roles.map(({ role, processesMax }) => [role, processesMax]),
  );
});

function expectClose(actual: number | null, expected: number | null): void {
  expect(actual).not.toBeNull();
  expect(Math.abs((actual ?? 0) / (expected ?? 1) - 1)).toBeLessThanOrEqual(0.011);
}
