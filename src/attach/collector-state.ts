/** What the collector in a session is asked for, in `request.json` beside it. */
export interface CollectorRequest {
  /** Of the recording, when a new one begins. */
  sessionId: string;
  /** `kernel` or `vm`. */
  source: string;
  intervalMs: number;
  labels: Readonly<Record<string, string>>;
  /** Only this process and its descendants are the browser. Left out: every one that is seen there. */
  browserPid?: number;
  /** The Node.js of the session that runs it, and makes copies of its recording. */
  nodePath: string;
}

/**
 * What the collector says of itself in `state.json`: at its first sample, then every ten seconds, and at
 * its end. It is small and replaced whole, so that it can be asked for at any time.
 */
export interface CollectorState {
  pid: number;
  /** Which light sampler it is; left out by the collector. */
  light?: 'perl' | 'shell';
  /** In the file, of this run. */
  sampleCount: number;
  /** By the clock of the session. */
  lastUnixMs: number;
  isOver: boolean;
}

export const heartbeatMs = 10_000;

/** The request that a file holds; null for anything else. */
export function parseCollectorRequest(text: string): CollectorRequest | null {
  return parsedWith<CollectorRequest>(text, ['sessionId', 'intervalMs', 'labels', 'nodePath']);
}

/** The state that a file holds; null for anything else. */
export function parseCollectorState(text: string): CollectorState | null {
  return parsedWith<CollectorState>(text, ['pid', 'sampleCount', 'lastUnixMs']);
}

function parsedWith<T extends object>(text: string, fields: (keyof T & string)[]): T | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null;
    return isObject && fields.every((field) => field in value) ? (value as T) : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}
