import fs from 'node:fs';
import { HeadroomError } from '../model/errors.ts';
import { endCopy } from '../store/end-copy.ts';
import { openRecording } from '../store/reader.ts';
import type { FollowEnd } from './follow.ts';

const words: Readonly<Record<FollowEnd, string>> = {
  stopped: '',
  stopped_elsewhere: '',
  taken_over: 'another attach follows the recording now, where it goes on',
  taken_elsewhere: 'the recording was ended, fetched and removed from elsewhere',
  deleted: 'the session is gone',
  lost: 'the session cannot be reached any more',
};

/**
 * Null when all of the recording is in the file; else what is missing: RECORDING_INCOMPLETE. The last
 * copy of a session that is gone then says that it ended so.
 */
export function whatIsMissing(
  end: FollowEnd,
  { name, out }: { name: string; out: string },
): HeadroomError | null {
  if (end === 'stopped' || end === 'stopped_elsewhere') return null;
  const hint =
    end === 'taken_over'
      ? 'The whole of it comes with the other one, or with headroom stop.'
      : 'Fetch before a session is deleted, or more often: the time between two fetches.';
  if (!fs.existsSync(out)) {
    const message = `${name}: ${words[end]}, and nothing of it was fetched before`;
    return new HeadroomError('RECORDING_INCOMPLETE', message, { hint });
  }
  if (end === 'deleted' || end === 'lost') endCopy(out, end);
  const untilUnixMs = lastTickUnixMs(out);
  const until =
    untilUnixMs === null ? 'nothing' : `all until ${new Date(untilUnixMs).toISOString()}`;
  const message = `${name}: ${words[end]}; ${out} has ${until}, what came later is not in it`;
  return new HeadroomError('RECORDING_INCOMPLETE', message, { hint });
}

/** Null of an empty recording. */
export function lastTickUnixMs(file: string): number | null {
  using recording = openRecording(file);
  return recording.lastTick()?.timeUnixMs ?? null;
}
