import type { Note } from '../model/event.ts';
import { formatBytes } from '../model/format-bytes.ts';
import type { ProcessReading } from '../model/sample.ts';
import type { MemoryDevices } from './memory-devices.ts';
import type { ProcFs } from './procfs/proc-fs.ts';
import type { EventSource } from './recorder.ts';

const none: readonly [] = [];
// A tab of a Chromium that keeps its pictures there ended itself with 4 to 25 MB left.
const lowBytes = 32 * 2 ** 20;
const againMs = 30_000;
const mostNotes = 50;

/**
 * Tells when /dev/shm is nearly full and a browser keeps its shared memory in it, as Chromium 131
 * does and 156 does not: it ends itself when there is no more, and no log says why. Told again
 * while it lasts, every half minute.
 */
export function devShmEvents(
  proc: Pick<ProcFs, 'entries' | 'link'>,
  devices: Pick<MemoryDevices, 'devShm'>,
): EventSource {
  let lookedMs = Number.NEGATIVE_INFINITY;
  let noteCount = 0;
  const read: EventSource['read'] = ({ sample, nowMonotonicMs, nowUnixMs }): readonly Note[] => {
    // As the sample read it.
    const found = devices.devShm;
    if (found === null || found.freeBytes === found.sizeBytes) return none;
    if (found.freeBytes >= lowBytes || noteCount >= mostNotes) return none;
    if (nowMonotonicMs - lookedMs < againMs) return none;
    lookedMs = nowMonotonicMs;
    const holder = sample.processes.find((process) => keepsMemoryThere(process, proc));
    if (holder === undefined) return none;
    noteCount++;
    const message = `/dev/shm has ${formatBytes(found.freeBytes)} of ${formatBytes(found.sizeBytes)} left, and the browser keeps its shared memory there (pid ${holder.pid})`;
    return [{ kind: 'note', timeUnixMs: nowUnixMs, code: 'dev_shm_low', message }];
  };
  return { read, finish: read };
}

// Unlinked as soon as they are open: only the descriptors show them.
function keepsMemoryThere(
  { pid, browserPid }: ProcessReading,
  proc: Pick<ProcFs, 'entries' | 'link'>,
): boolean {
  if (browserPid === null) return false;
  const descriptors = proc.entries(`${pid}/fd`) ?? [];
  return descriptors.some((descriptor) =>
    proc.link(`${pid}/fd/${descriptor}`)?.startsWith('/dev/shm/.'),
  );
}
