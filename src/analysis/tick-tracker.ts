import type { Tick } from '../model/session-memory.ts';

/**
 * Follows the ticks of a recording and says at the end what they amount to. A day of recording has
 * 86,400 of them, so they are read once, past all trackers, and never held. `Seen`: what it looks at.
 */
export interface TickTracker<Result, Seen = Tick> {
  add(tick: Seen): void;
  /**
   * The next tick is of another boot, or its memory of another cgroup: what the kernel counts has begun
   * anew, and no distance is one.
   */
  beginAnew?(): void;
  result(): Result;
}
