import { longestTimerMs } from '../model/longest-timer.ts';
import { type AttachMode, attachModes } from './choose-mode.ts';
import { requireNewFile } from './new-file.ts';
import type { RecordingRequest } from './start-recording.ts';

export interface RecordSessionOptions {
  /** The file to write; it may not exist. */
  out: string;
  /** Time between samples, ms; default 1000. */
  intervalMs?: number;
  labels?: Readonly<Record<string, string>>;
  /** What records there: the collector by Node.js, a script, or what fits; default `auto`. */
  mode?: AttachMode;
  /** The Node.js of the session; default `node`. */
  nodePath?: string;
  /** How often what is there is fetched meanwhile, ms; default 5 minutes. */
  pullEveryMs?: number;
  /** Gets what a person may want to know: what records and why, a collector that died, contact that was lost. */
  onMessage?: (message: string) => void;
}

export interface SessionRecording {
  out: string;
  request: RecordingRequest;
  mode: AttachMode;
  pullEveryMs: number;
  onMessage: (message: string) => void;
}

/**
 * With the defaults. Found out in the session, what makes no sense would be hard to understand:
 * TypeError, RangeError, FILE_EXISTS, FILE_NOT_WRITABLE.
 */
export function sessionRecording(options: RecordSessionOptions): SessionRecording {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) throw new TypeError('options must be an object');
  knownOptions(options);
  const { out, intervalMs = 1_000, labels = {}, nodePath = 'node', mode = 'auto' } = options;
  const { pullEveryMs = 300_000, onMessage = () => undefined } = options;
  named('out', out);
  named('nodePath', nodePath);
  within('intervalMs', intervalMs, { least: 100, most: 3_600_000 });
  within('pullEveryMs', pullEveryMs, { least: 1_000, most: longestTimerMs });
  if (!attachModes.includes(mode)) {
    throw new RangeError(`mode must be ${attachModes.join(', ')}, not ${String(mode)}`);
  }
  if (typeof onMessage !== 'function') throw new TypeError('onMessage must be a function');
  checkLabels(labels);
  requireNewFile(out);
  return { out, request: { intervalMs, labels, nodePath }, mode, pullEveryMs, onMessage };
}

const optionNames: Readonly<Record<keyof RecordSessionOptions, true>> = {
  out: true,
  intervalMs: true,
  labels: true,
  mode: true,
  nodePath: true,
  pullEveryMs: true,
  onMessage: true,
};

/** One that was mistyped would do nothing, in silence. */
function knownOptions(options: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(optionNames, name));
  if (unknown === undefined) return;
  const known = Object.keys(optionNames).join(', ');
  throw new TypeError(`there is no option "${unknown}"; there are ${known}`);
}

function named(option: string, value: unknown): void {
  if (typeof value === 'string' && value !== '' && !value.includes('\0')) return;
  throw new TypeError(`${option} must be a name, not ${value === '' ? 'empty' : String(value)}`);
}

function within(option: string, value: number, { least, most }: { least: number; most: number }) {
  if (value >= least && value <= most) return;
  throw new RangeError(`${option} must be ${least} to ${most}, not ${String(value)}`);
}

function checkLabels(labels: Readonly<Record<string, string>>): void {
  const given: unknown = labels;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError('labels must be an object of names and texts');
  }
  for (const [name, value] of Object.entries(labels)) {
    if (name === '') throw new TypeError('labels: one has no name');
    if (typeof value === 'string') continue;
    throw new TypeError(`labels: "${name}" must be a text, not of type ${typeof value}`);
  }
}
