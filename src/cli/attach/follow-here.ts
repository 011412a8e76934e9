import { type FollowEnd, follow } from '../../attach/follow.ts';
import { followWords } from '../../attach/follow-words.ts';
import type { StartedRecording } from '../../attach/start-recording.ts';
import { TelemetryWatch } from '../../attach/telemetry/telemetry-watch.ts';
import { toldWords } from '../../attach/telemetry/told-words.ts';
import { printable } from '../../report/printable.ts';
import type { CommandIo } from '../command.ts';
import type { AttachOptions } from './attach-options.ts';
import { AttachProgress } from './attach-progress.ts';
import type { CopyExport } from './copy-export.ts';
import { pullTo } from './pulled-file.ts';

export interface Followed {
  end: FollowEnd;
  pullCount: number;
  restartCount: number;
}

const lostAfterMs = 600_000;

/** Follows a recording from a shell: until a signal, the end of `--for`, or that of the session. */
export async function followHere(
  recording: StartedRecording,
  options: AttachOptions & { out: string; sending: CopyExport | null },
  io: CommandIo,
): Promise<Followed> {
  const { out, sending, pullEveryMs, isUntilDeleted, isKeptAlive } = options;
  const ending = new AbortController();
  const onSignal = () => ending.abort();
  io.signal.addEventListener('abort', onSignal);
  if (io.signal.aborted) onSignal();
  const timer = options.durationMs === null ? null : setTimeout(onSignal, options.durationMs);
  const progress = new AttachProgress(io, options);
  const telemetry = new TelemetryWatch(recording.collector.session, {
    isLive: isKeptAlive,
    onTold: (event) => progress.aside(printable(toldWords(event))),
  });
  let pullCount = 0;
  let restartCount = 0;
  try {
    const end = await follow(recording, {
      signal: ending.signal,
      pullEveryMs,
      ...(isKeptAlive ? {} : { lookEveryMs: pullEveryMs }),
      ...(isUntilDeleted ? { lostAfterMs } : {}),
      pull: async () => {
        progress.pause();
        // The last one says where the file is, for whoever waits for it.
        const isQuiet = !ending.signal.aborted;
        const complete = await telemetry.beginCopy();
        const sizeBytes = await pullTo(recording.collector, out, { io, isQuiet, complete });
        pullCount++;
        await sending?.send({ isEnd: false });
        progress.pulled(sizeBytes);
      },
      onEvent: (event) => {
        if (event.kind === 'heard') progress.heard(event.state);
        if (event.kind === 'restarted') restartCount++;
        const words = followWords(event);
        if (words !== null) progress.aside(printable(words));
      },
    });
    progress.pause();
    await telemetry.finish(out);
    return { end, pullCount, restartCount };
  } finally {
    await telemetry.close();
    progress.end();
    if (timer !== null) clearTimeout(timer);
    io.signal.removeEventListener('abort', onSignal);
  }
}
