import type { Range } from './source.ts';

/** The stretch of time that all pictures of a recording show, and the one that was chosen in it. */
export class Viewport {
  #whole: Range;
  #shown: Range;
  #chosen: Range | null = null;
  readonly #listeners = new Set<() => void>();
  /** Whether the right edge goes on with a recording that grows. */
  isFollowing: boolean;

  constructor(whole: Range, follow: 'follow' | 'stay') {
    this.#whole = whole;
    this.#shown = widened(whole);
    this.isFollowing = follow === 'follow';
  }

  get whole(): Range {
    return this.#whole;
  }

  get shown(): Range {
    return this.#shown;
  }

  get chosen(): Range | null {
    return this.#chosen;
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  show(range: Range): void {
    const span = Math.max(1_000, range.toUnixMs - range.fromUnixMs);
    const whole = widened(this.#whole);
    const length = Math.min(span, whole.toUnixMs - whole.fromUnixMs);
    const fromUnixMs = Math.min(
      Math.max(range.fromUnixMs, whole.fromUnixMs),
      whole.toUnixMs - length,
    );
    this.#shown = { fromUnixMs, toUnixMs: fromUnixMs + length };
    this.#tell();
  }

  showWhole(): void {
    this.show(this.#whole);
  }

  /** By a share of what is shown; below 0 to the left. */
  pan(share: number): void {
    const { fromUnixMs, toUnixMs } = this.#shown;
    const by = share * (toUnixMs - fromUnixMs);
    this.move({ fromUnixMs: fromUnixMs + by, toUnixMs: toUnixMs + by });
  }

  /** Somewhere else, where it stays. */
  move(range: Range): void {
    this.isFollowing = false;
    this.show(range);
  }

  /** Below 1: closer, around an instant or the middle. */
  zoom(factor: number, aroundUnixMs?: number): void {
    const { fromUnixMs, toUnixMs } = this.#shown;
    const around = aroundUnixMs ?? (fromUnixMs + toUnixMs) / 2;
    this.show({
      fromUnixMs: around - (around - fromUnixMs) * factor,
      toUnixMs: around + (toUnixMs - around) * factor,
    });
  }

  choose(range: Range | null): void {
    this.#chosen = range;
    this.#tell();
  }

  /** The recording has grown. */
  grow(toUnixMs: number): void {
    const by = toUnixMs - this.#whole.toUnixMs;
    if (by <= 0) return;
    const wasWhole = this.#shown.fromUnixMs <= this.#whole.fromUnixMs;
    this.#whole = { ...this.#whole, toUnixMs };
    if (!this.isFollowing) return;
    if (wasWhole) this.showWhole();
    else {
      const { fromUnixMs, toUnixMs: end } = this.#shown;
      this.show({ fromUnixMs: fromUnixMs + by, toUnixMs: end + by });
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

// One sample alone is no stretch of time.
function widened({ fromUnixMs, toUnixMs }: Range): Range {
  return { fromUnixMs, toUnixMs: Math.max(toUnixMs, fromUnixMs + 1_000) };
}
