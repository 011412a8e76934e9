import { randomUUID } from 'node:crypto';

export interface AttachAgentOsOptions {
  /** The file to write. One that is there is never overwritten. */
  out: string;
  /** Time between samples, 100 or more; default 1000. */
  intervalMs?: number;
  /** Labels of the session, such as `{ workload: 'checkout' }`; default none. */
  labels?: Readonly<Record<string, string>>;
  /** `session.id` of the recording and on the wire; default a random UUID. */
  sessionId?: string;
  /** What the file may take on the disk, in bytes, 4 MiB or more; default 256 MiB. */
  maxFileBytes?: number;
}

const leastIntervalMs = 100;
const leastFileBytes = 4 * 2 ** 20;

/** With the defaults. TypeError or RangeError for what makes no sense. */
export function attachOptions(options: AttachAgentOsOptions): Required<AttachAgentOsOptions> {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) throw new TypeError('options must be an object');
  const { out, intervalMs = 1000, labels = {}, sessionId = randomUUID() } = options;
  const { maxFileBytes = 256 * 2 ** 20 } = options;
  if (typeof out !== 'string' || out === '') throw new TypeError('options.out must name a file');
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw new TypeError('options.sessionId must be a text');
  }
  if (Object.values(labels).some((label) => typeof label !== 'string')) {
    throw new TypeError('options.labels must have texts only');
  }
  atLeast('options.intervalMs', intervalMs, leastIntervalMs);
  atLeast('options.maxFileBytes', maxFileBytes, leastFileBytes);
  return { out, intervalMs, labels, sessionId, maxFileBytes };
}

function atLeast(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(`${name} must be a whole number of ${least} or more, not ${value}`);
  }
}
