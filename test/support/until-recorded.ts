import { existsSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';

/** Resolves when the recorder of a file has committed its first samples: it runs, and handles signals. */
export async function untilRecorded(file: string, tickCount = 2): Promise<void> {
  await vi.waitFor(
    () => {
      expect(existsSync(file)).toBe(true);
      using recording = openRecording(file);
      expect(recording.tickCount()).toBeGreaterThanOrEqual(tickCount);
    },
    { timeout: 120_000, interval: 100 },
  );
}
