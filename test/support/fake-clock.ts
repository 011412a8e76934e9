import type { Clock } from '../../src/collector/sampler.ts';

/** Both clocks in the hands of a test; they move only when told, or by themselves at each reading. */
export class FakeClock implements Clock {
  wall = 1_795_960_800_000;
  monotonic = 50_000;
  /** What each reading of the monotonic clock takes. */
  readingTakesMs = 0;

  wallMs(): number {
    return this.wall;
  }

  monotonicMs(): number {
    this.monotonic += this.readingTakesMs;
    this.wall += this.readingTakesMs;
    return this.monotonic;
  }

  /** The machine runs: both clocks move. */
  advance(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
  }

  /** The machine sleeps, or somebody sets the wall clock. */
  stepWall(ms: number): void {
    this.wall += ms;
  }
}
