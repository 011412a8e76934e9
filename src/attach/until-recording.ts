import { setTimeout as sleep } from 'node:timers/promises';
import { HeadroomError } from '../model/errors.ts';
import type { CollectorState } from './collector-state.ts';
import { collectorFailure, type SessionCollector } from './session-collector.ts';

const betweenMs = 500;
/** Of a session that shares its machine with much else. */
const longestStartMs = 120_000;
/** So long the program may not be seen yet that was started. */
const longestBirthMs = 10_000;

/** What the collector that runs says of itself when it has written a sample; COLLECTOR_FAILED with what it said. */
export async function untilRecording(
  collector: SessionCollector,
  signal: AbortSignal,
): Promise<CollectorState> {
  const startedMs = performance.now();
  for (;;) {
    refuseGivenUp(collector, signal);
    const pid = await collector.pid();
    const state = await collector.state();
    if (state !== null && state.pid === pid && state.sampleCount > 0) return state;
    const problem = pid === null ? await collector.problem() : null;
    const waitedMs = performance.now() - startedMs;
    if (problem !== null || waitedMs > (pid === null ? longestBirthMs : longestStartMs)) {
      const words = pid === null ? 'it ended without a word' : 'no sample came';
      throw collectorFailure(collector.session, problem ?? words);
    }
    await sleep(betweenMs);
  }
}

/** COLLECTOR_FAILED when it is not wanted any more. */
export function refuseGivenUp({ session }: SessionCollector, signal: AbortSignal): void {
  if (!signal.aborted) return;
  const message = `${session.name}: given up before it recorded; what was begun is taken back`;
  throw new HeadroomError('COLLECTOR_FAILED', message);
}
