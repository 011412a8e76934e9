import type { SdkClient } from '../session/sdk.ts';
import { sdkSession } from '../session/sdk.ts';
import type { AttachMode } from './choose-mode.ts';
import { follow } from './follow.ts';
import { followWords } from './follow-words.ts';
import { refuseExisting } from './new-file.ts';
import { pullRecording } from './pull-recording.ts';
import { whatIsMissing } from './recording-end.ts';
import { type StartedRecording, startRecording } from './start-recording.ts';

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

/**
 * Records a browser session from inside of it, until `stop` or the end of the block that declared it
 * with `await using`; then the file is here, checked, and nothing is left in the session. Resolves when
 * it records. `client` is that of `@onkernel/sdk`; none of its retries is used. FILE_EXISTS,
 * COLLECTOR_FAILED, SESSION_NOT_FOUND, SESSION_REFUSED, SESSION_UNREACHABLE, SESSION_CALL_FAILED.
 */
export async function recordSession(
  client: SdkClient,
  sessionId: string,
  options: RecordSessionOptions,
): Promise<SessionRecorder> {
  const { out, intervalMs = 1_000, labels = {}, nodePath = 'node', mode = 'auto' } = options;
  if (!(intervalMs >= 100 && intervalMs <= 3_600_000)) {
    throw new RangeError(`intervalMs must be 100 to 3600000, not ${intervalMs}`);
  }
  // Found out in the session, it would keep the recording from being opened again.
  for (const [name, value] of Object.entries(labels)) {
    if (name === '' || typeof value !== 'string') {
      throw new TypeError(`labels: "${name}" must have a name and a text, not a ${typeof value}`);
    }
  }
  refuseExisting(out);
  const session = sdkSession(client, sessionId);
  const request = { intervalMs, labels, nodePath };
  const never = new AbortController().signal;
  const recording = await startRecording(session, { request, mode }, never);
  if (recording.how !== null) options.onMessage?.(recording.how);
  return new SessionRecorder(recording, options);
}

/** A recording of a session elsewhere that runs. It does not keep the program running. */
export class SessionRecorder implements AsyncDisposable {
  /** The file: a checked copy of what is recorded so far, when one was fetched. */
  readonly out: string;
  readonly #recording: StartedRecording;
  readonly #end = new AbortController();
  readonly #followed: Promise<void>;

  constructor(recording: StartedRecording, options: RecordSessionOptions) {
    this.out = options.out;
    this.#recording = recording;
    this.#followed = this.#follow(options);
    // Whoever stops it hears of it.
    this.#followed.catch(() => undefined);
  }

  /** Fetches what is recorded so far, besides the times at which that is done anyway. */
  async pull(): Promise<void> {
    await pullRecording(this.#recording.collector, this.out);
  }

  /**
   * Ends the recording and resolves when all of it is in the file, checked, and nothing is left in the
   * session. RECORDING_INCOMPLETE when the session was deleted before; what a fetch that failed says.
   */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#followed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #follow({ pullEveryMs = 300_000, onMessage }: RecordSessionOptions): Promise<void> {
    const end = await follow(this.#recording, {
      signal: this.#end.signal,
      pullEveryMs,
      keepsAlive: false,
      pull: () => this.pull(),
      onEvent: (event) => {
        const words = followWords(event);
        if (words !== null) onMessage?.(words);
      },
    });
    const name = this.#recording.collector.session.name;
    const missing = whatIsMissing(end, { name, out: this.out });
    if (missing !== null) throw missing;
  }
}
