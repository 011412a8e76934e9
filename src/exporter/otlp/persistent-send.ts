import type { SendResult } from './response.ts';
import type { Send } from './send.ts';

/** Why an export cannot go on. */
export type Stop =
  | { kind: 'out_of_time'; reason: string }
  | { kind: 'failed'; message: string; hint: string };

/** What became of one body, after as many tries as it took. */
export type Outcome =
  | Extract<SendResult, { kind: 'sent' | 'partial' | 'rejected' }>
  | { kind: 'stop'; stop: Stop };

export interface Patience {
  send: Send;
  /** Resolves after so many ms, or at once when the signal says that time is over. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** 0 to 1, evenly. */
  random(): number;
  /** Aborted when there is nothing more to come and little time: no long waits. */
  hurry: AbortSignal;
  /** Aborted when the export has to end. */
  timeIsOver: AbortSignal;
  onWait(wait: { delayMs: number; reason: string }): void;
}

const firstDelayMs = 1_000;
const longestDelayMs = 60_000;

/**
 * Sends until the receiver has decided, or time is over. Throttling, gateways and a network that is
 * down are waited for without limit, doubling from 1 s to 60 s with jitter; Retry-After makes a wait
 * longer, never shorter. A 500 may be the body's fault: after a few tries it counts as a refusal.
 */
export async function sendPersistently(
  body: Uint8Array,
  patience: Patience,
  serverErrorTries = 5,
): Promise<Outcome> {
  const { timeIsOver } = patience;
  let reason = 'no request was made';
  for (let tries = 1; !timeIsOver.aborted; tries++) {
    const result = await patience.send(body, timeIsOver);
    if (result.kind === 'sent' || result.kind === 'partial') return result;
    if (result.kind === 'misconfigured') {
      return { kind: 'stop', stop: { kind: 'failed', message: result.message, hint: result.hint } };
    }
    if (result.kind === 'rejected' && (result.status < 500 || tries >= serverErrorTries)) {
      return result;
    }
    // A request that was cut off says less than the failure before it.
    if (timeIsOver.aborted && tries > 1) break;
    reason = result.kind === 'retry' ? result.reason : `status ${result.status} ${result.message}`;
    if (timeIsOver.aborted) break;
    await wait(result.kind === 'retry' ? result.afterMs : null, { tries, reason, patience });
  }
  return { kind: 'stop', stop: { kind: 'out_of_time', reason } };
}

async function wait(
  askedMs: number | null,
  { tries, reason, patience }: { tries: number; reason: string; patience: Patience },
): Promise<void> {
  const { hurry, timeIsOver } = patience;
  const backOffMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (tries - 1));
  const jitteredMs = Math.round(backOffMs * (0.5 + patience.random() / 2));
  const ownMs = hurry.aborted ? Math.min(firstDelayMs, jitteredMs) : jitteredMs;
  const delayMs = Math.max(askedMs ?? 0, ownMs);
  patience.onWait({ delayMs, reason });
  const isInHurry = hurry.aborted;
  if (askedMs !== null && askedMs > 0) await patience.sleep(askedMs, timeIsOver);
  const restMs = delayMs - (askedMs ?? 0);
  if (restMs === 0) return;
  // Only what we wait of our own accord is cut short by a hurry that begins meanwhile.
  await patience.sleep(restMs, isInHurry ? timeIsOver : AbortSignal.any([hurry, timeIsOver]));
}
