import { HeadroomError } from '../../model/errors.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import { sessionLimit, workingSetBytes } from '../../model/session-memory.ts';
import { openRecording } from '../../store/reader.ts';
import type { CommandIo } from '../command.ts';

const betweenMs = 1_000;

/** Says how much memory a recording that is written has come to: one line, on a terminal only. */
export function liveLine(file: string, { stderr }: Pick<CommandIo, 'stderr'>): Disposable {
  if (stderr.isTTY !== true) return { [Symbol.dispose]: () => undefined };
  const timer = setInterval(() => {
    const words = usedWords(file);
    if (words !== null) stderr.write(`\r\u001b[K${words}`);
  }, betweenMs);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      stderr.write('\r\u001b[K');
    },
  };
}

/** Null while it cannot be told. */
function usedWords(file: string): string | null {
  try {
    using recording = openRecording(file);
    const tick = recording.lastTick();
    const used = tick === null ? null : workingSetBytes(tick);
    if (tick === null || used === null) return null;
    return `${formatBytes(used)} of ${formatBytes(sessionLimit(tick).bytes)} in use`;
  } catch (error) {
    if (!(error instanceof HeadroomError)) throw error;
    return null;
  }
}
