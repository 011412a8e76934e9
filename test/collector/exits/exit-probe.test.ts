import { expect, test } from 'vitest';
import { probeExits } from '../../../src/collector/exits/exit-probe.ts';

/** Has made up its mind when it is asked for the third time. */
class SlowWatcher {
  readonly #outcome: string | null;
  #asked = 0;
  isClosed = false;

  constructor(outcome: string | null) {
    this.#outcome = outcome;
  }

  get isReady(): boolean {
    this.#asked++;
    return this.#asked >= 3 && this.#outcome === null;
  }

  get unavailableReason(): string | null {
    return this.#asked >= 3 ? this.#outcome : null;
  }

  close(): void {
    this.isClosed = true;
  }
}

test.each([null, 'bind: EPERM (needs root, or CAP_NET_ADMIN)'])(
  'waits until the helper says whether it can: %s',
  async (outcome) => {
    const watcher = new SlowWatcher(outcome);
    expect(await probeExits(watcher)).toBe(outcome);
    expect(watcher.isClosed).toBe(true);
  },
);
