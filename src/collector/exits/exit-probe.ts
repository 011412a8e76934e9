import { setTimeout as sleep } from 'node:timers/promises';
import { ExitWatcher } from './exit-watcher.ts';

type Probed = Pick<ExitWatcher, 'isReady' | 'unavailableReason' | 'close'>;

// The helper itself gives up after two seconds.
const patienceMs = 4_000;
const lookEveryMs = 10;

/** Listens for a moment: null when the kernel tells how processes end, else why it does not. */
export async function probeExits(watcher: Probed = ExitWatcher.start()): Promise<string | null> {
  try {
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += lookEveryMs) {
      if (watcher.isReady) return null;
      if (watcher.unavailableReason !== null) return watcher.unavailableReason;
      await sleep(lookEveryMs);
    }
    return 'no answer';
  } finally {
    watcher.close();
  }
}
