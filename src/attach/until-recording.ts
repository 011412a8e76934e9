import { setTimeout as sleep } from 'node:timers/promises';
import { collectorFailure, type SessionCollector } from './session-collector.ts';

const betweenMs = 500;
/** Of a session that shares its machine with much else. */
const longestStartMs = 120_000;

/** Resolves when the collector that runs has written a sample; COLLECTOR_FAILED with what it said. */
export async function untilRecording(
  collector: SessionCollector,
  signal: AbortSignal,
): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const pid = await collector.pid();
    const state = await collector.state();
    if (state !== null && state.pid === pid && state.sampleCount > 0) return;
    const problem = pid === null ? await collector.problem() : null;
    const isLate = performance.now() - startedMs > longestStartMs;
    if (isLate || signal.aborted || problem !== null) {
      throw collectorFailure(collector.session, problem ?? 'no sample came');
    }
    await sleep(betweenMs);
  }
}
