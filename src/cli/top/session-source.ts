import { TopState } from '../../analysis/top/top-state.ts';
import { SessionFrames } from '../../attach/light/session-frames.ts';
import { timerSleep } from '../../collector/recorder.ts';
import { HeadroomError } from '../../model/errors.ts';
import type { Session } from '../../session/session.ts';
import type { TopSource } from './sources.ts';

/** Each reading is a command of its own there. */
const intervalMs = 2_000;
const mostSilenceMs = 60_000;

/**
 * A session, as it is now: read by one command after the other, of which nothing is left there. Contact
 * that is lost is waited for, for a minute. What the session's API answers; COLLECTOR_FAILED.
 */
export function sessionSource(session: Session, { isOnce }: { isOnce: boolean }): TopSource {
  return async (signal, show) => {
    const frames = await SessionFrames.open(session, intervalMs);
    const state = new TopState();
    let heardMs = performance.now();
    // A rate takes two samples.
    for (let count = 0; !signal.aborted; ) {
      const startMs = performance.now();
      try {
        const replayed = await frames.next();
        heardMs = performance.now();
        if (replayed !== null) {
          state.addSample(replayed.sample, replayed.events);
          count++;
        }
        const view = state.view(session.name, 'live');
        if (view !== null && (!isOnce || count > 1)) show(view);
        if (isOnce && count > 1) return;
      } catch (error) {
        const isPassing = error instanceof HeadroomError && error.code === 'SESSION_UNREACHABLE';
        if (!isPassing || isOnce || startMs - heardMs > mostSilenceMs) throw error;
      }
      await timerSleep(Math.max(0, startMs + intervalMs - performance.now()), signal);
    }
  };
}
