import { randomUUID } from 'node:crypto';
import type { Session } from '../session/session.ts';
import { type AttachMode, type ChosenMode, chooseMode, modeOf } from './choose-mode.ts';
import type { CollectorRequest } from './collector-state.ts';
import { SessionCollector } from './session-collector.ts';
import { refuseGivenUp, untilRecording } from './until-recording.ts';

export type RecordingRequest = Omit<CollectorRequest, 'sessionId' | 'source'>;

export interface RecordingWish {
  request: RecordingRequest;
  mode: AttachMode;
  /** It is stayed with: another one that does so ends. */
  isFollowed: boolean;
}

/** A recording that runs in a session. */
export interface StartedRecording {
  collector: SessionCollector;
  /** One ran there already, and goes on with what it was asked for. */
  isTakenOver: boolean;
  /** What records, and why that: for a person, where it is not simply what was asked for. */
  how: string | null;
  /** False when another one follows it since. */
  isOurs(): Promise<boolean>;
  /** Starts it again, into the same file; nothing happens where it runs. */
  restart(): Promise<void>;
}

/**
 * Puts into a session what records it, or takes over what does so there, and resolves when it records.
 * What died is started again and goes on in its file. What was begun and came to nothing, also by the
 * signal, is taken back. COLLECTOR_FAILED; what the session's API answers.
 */
export async function startRecording(
  session: Session,
  { request: asked, mode, isFollowed }: RecordingWish,
  signal: AbortSignal,
): Promise<StartedRecording> {
  const { collector, pid } = await SessionCollector.locate(session);
  const earlier = await collector.request();
  const source = session.name.split(':', 1)[0] ?? '';
  const request: CollectorRequest = { sessionId: randomUUID(), source, ...asked };
  const { nodePath } = request;
  const mark = randomUUID();
  const isTakenOver = pid !== null;
  let how: string | null = null;
  try {
    if (!isTakenOver) {
      const chosen = await chooseMode(collector, { mode, nodePath, isRunning: false });
      refuseGivenUp(collector, signal);
      const name = await chosen.start(request);
      if (mode === 'auto' || chosen.mode === 'light') how = `${name}: ${chosen.why}`;
    }
    const state = await untilRecording(collector, signal);
    if (isTakenOver) how = takenOverWords(modeOf(state), mode);
    if (isFollowed) await collector.own(mark);
  } catch (error) {
    if (!isTakenOver) await takeBack(collector, earlier !== null);
    throw error;
  }
  const restart = async () => {
    const begun = await chooseMode(collector, { mode: 'auto', nodePath, isRunning: true });
    await begun.start(request);
  };
  const isOurs = async () => {
    const owner = await collector.owner();
    return owner === null || owner === mark;
  };
  return { collector, isTakenOver, how, isOurs, restart };
}

function takenOverWords(begun: ChosenMode['mode'], asked: AttachMode): string {
  const followed = `it is being recorded already, in mode ${begun}: that is followed, as it was begun`;
  if (asked === 'auto' || asked === begun) return followed;
  return `${followed}; mode ${asked} is not taken: for that headroom stop it first`;
}

/** What was recorded there before stays. */
async function takeBack(collector: SessionCollector, hasRecording: boolean): Promise<void> {
  await collector.stop();
  if (!hasRecording) await collector.remove();
}
