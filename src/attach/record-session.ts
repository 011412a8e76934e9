import type { SdkClient } from '../session/sdk.ts';
import { sdkSession } from '../session/sdk.ts';
import { follow } from './follow.ts';
import { followWords } from './follow-words.ts';
import { pullRecording } from './pull-recording.ts';
import {
  type RecordSessionOptions,
  type SessionRecording,
  sessionRecording,
} from './record-session-options.ts';
import { whatIsMissing } from './recording-end.ts';
import { type StartedRecording, startRecording } from './start-recording.ts';
import { TelemetryWatch } from './telemetry/telemetry-watch.ts';
import { toldWords } from './telemetry/told-words.ts';

/**
 * Records a browser session from inside of it, until `stop` or the end of the block that declared it
 * with `await using`; then the file is here, checked, and nothing is left in the session. Resolves when
 * it records. `client` is that of `@onkernel/sdk`; none of its retries is used. TypeError or RangeError for
 * options that make no sense, FILE_EXISTS, FILE_NOT_WRITABLE, COLLECTOR_FAILED, SESSION_NOT_FOUND,
 * SESSION_REFUSED, SESSION_UNREACHABLE, SESSION_CALL_FAILED.
 */
export async function recordSession(
  client: SdkClient,
  sessionId: string,
  options: RecordSessionOptions,
): Promise<SessionRecorder> {
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw new TypeError('the id of a session must be a text');
  }
  const wanted = sessionRecording(options);
  const session = sdkSession(client, sessionId);
  const recording = await startRecording(
    session,
    { ...wanted, isFollowed: true },
    new AbortController().signal,
  );
  if (recording.how !== null) wanted.onMessage(recording.how);
  return new SessionRecorder(recording, wanted);
}

/** A recording of a session elsewhere that runs. It does not keep the program running. */
export class SessionRecorder implements AsyncDisposable {
  /** The file: a checked copy of what is recorded so far, when one was fetched. */
  readonly out: string;
  readonly #recording: StartedRecording;
  readonly #end = new AbortController();
  readonly #telemetry: TelemetryWatch;
  readonly #followed: Promise<void>;

  constructor(recording: StartedRecording, wanted: SessionRecording) {
    this.out = wanted.out;
    this.#recording = recording;
    // A stream that is open would keep a program from its end that forgot this recording.
    this.#telemetry = new TelemetryWatch(recording.collector.session, {
      isLive: false,
      onTold: (event) => wanted.onMessage(toldWords(event)),
    });
    this.#followed = this.#follow(wanted);
    // Whoever stops it hears of it.
    this.#followed.catch(() => undefined);
  }

  /** Fetches what is recorded so far, besides the times at which that is done anyway. */
  async pull(): Promise<void> {
    const complete = await this.#telemetry.beginCopy();
    await pullRecording(this.#recording.collector, this.out, { complete });
  }

  /**
   * Ends the recording and resolves when all of it is in the file, checked, and nothing is left in the
   * session. RECORDING_INCOMPLETE when the session was deleted before, or another one has taken it over;
   * what a fetch that failed says.
   */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#followed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #follow({ pullEveryMs, onMessage }: SessionRecording): Promise<void> {
    const end = await follow(this.#recording, {
      signal: this.#end.signal,
      pullEveryMs,
      keepsAlive: false,
      pull: () => this.pull(),
      onEvent: (event) => {
        const words = followWords(event);
        if (words !== null) onMessage(words);
      },
    });
    await this.#telemetry.finish(this.out);
    const name = this.#recording.collector.session.name;
    const missing = whatIsMissing(end, { name, out: this.out });
    if (missing !== null) throw missing;
  }
}
