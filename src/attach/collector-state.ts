/** What the collector in a session is asked for. */
export interface CollectorRequest {
  folder: string;
  /** Of the recording, when a new one begins. */
  sessionId: string;
  /** `kernel` or `vm`. */
  source: string;
  intervalMs: number;
  labels: Readonly<Record<string, string>>;
  /** Only this process and its descendants are the browser. Left out: every one that is seen there. */
  browserPid?: number;
}

/**
 * What the collector says of itself in `state.json`: at its first sample, then every ten seconds, and at
 * its end. It is small and replaced whole, so that it can be asked for at any time.
 */
export interface CollectorState {
  pid: number;
  /** The Node.js that runs it, and can make copies of its recording; empty of a light sampler. */
  nodePath: string;
  /** Which light sampler it is; left out by the collector. */
  light?: 'perl' | 'shell';
  /** In the file, of this run. */
  sampleCount: number;
  /** By the clock of the session. */
  lastUnixMs: number;
  isOver: boolean;
}

export const heartbeatMs = 10_000;

/** The state that a file holds; null for anything else. */
export function parseCollectorState(text: string): CollectorState | null {
  try {
    const state: unknown = JSON.parse(text);
    const isState = typeof state === 'object' && state !== null && 'pid' in state;
    return isState && 'nodePath' in state && 'sampleCount' in state
      ? (state as CollectorState)
      : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}
