import type { ChromiumProcesses, ProcessIdentity } from './chromium-processes.ts';
import { type DevtoolsConnection, isObject } from './devtools-connection.ts';
import { ThreadClock } from './thread-clock.ts';

/** What {@link placeTarget} uses of a connection. */
export type Asking = Pick<DevtoolsConnection, 'ask'>;

export interface PlacingTools {
  processes: Pick<ChromiumProcesses, 'update' | 'sweep' | 'identify'>;
  sleep(ms: number): Promise<void>;
}

// A running thread is counted at the kernel's tick, which is 10 ms at most; then longer, for pages
// that are as busy as each other.
const pausesMs = [12, 12, 12, 12, 50, 100, 200];
const enoughReadings = 4;

/**
 * In which renderer a target is: the clock of its main thread, as the protocol tells it
 * (`Performance.getMetrics`, ThreadTime), against those of all renderers. Nothing else is asked, and
 * a page notices nothing of it. Null when it does not answer, and whenever not exactly one renderer
 * is left.
 */
export async function placeTarget(
  connection: Asking,
  targetId: string,
  { processes, sleep }: PlacingTools,
): Promise<ProcessIdentity | null> {
  const attached = await connection.ask({
    method: 'Target.attachToTarget',
    params: { targetId, flatten: true },
  });
  const sessionId = attached?.['sessionId'];
  if (typeof sessionId !== 'string') return null;
  try {
    const pid = await pidOf(connection, sessionId, { processes, sleep });
    return pid === null ? null : processes.identify(pid);
  } finally {
    await connection.ask({ method: 'Target.detachFromTarget', params: { sessionId } });
  }
}

async function pidOf(
  connection: Asking,
  sessionId: string,
  { processes, sleep }: PlacingTools,
): Promise<number | null> {
  const clock = new ThreadClock();
  processes.update();
  let before = processes.sweep();
  for (const pauseMs of pausesMs) {
    const isFirst = clock.readingCount === 0;
    const clockNs = isFirst
      ? await startClock(connection, sessionId)
      : await readClock(connection, sessionId);
    if (clockNs === null) return null;
    await sleep(pauseMs);
    const after = processes.sweep();
    clock.add(clockNs, before, after);
    before = after;
    const [candidate, other] = clock.candidates();
    if (candidate === undefined) return null;
    if (other === undefined && clock.readingCount >= enoughReadings) return candidate;
  }
  return null;
}

// The clock counts from here on.
async function startClock(connection: Asking, sessionId: string): Promise<number | null> {
  const answer = await connection.ask({ method: 'Performance.enable', sessionId });
  return answer === null ? null : 0;
}

async function readClock(connection: Asking, sessionId: string): Promise<number | null> {
  const answer = await connection.ask({ method: 'Performance.getMetrics', sessionId });
  const metrics: unknown = answer?.['metrics'];
  if (!Array.isArray(metrics)) return null;
  const metric: unknown = metrics.find(
    (entry) => isObject(entry) && entry['name'] === 'ThreadTime',
  );
  const seconds = isObject(metric) ? metric['value'] : null;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0) return null;
  return Math.round(seconds * 1e9);
}
