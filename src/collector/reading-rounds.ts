const roundTicks = 16;

/**
 * Which processes are due in which tick: the active ones in every tick, each resting one in one tick
 * of sixteen, so that thousands of idle processes cost next to nothing.
 */
export class ReadingRounds<T extends { pid: number }> {
  readonly #active = new Set<T>();
  readonly #resting = Array.from({ length: roundTicks }, () => new Set<T>());

  /** Active from now on. */
  add(process: T): void {
    this.#active.add(process);
  }

  delete(process: T): void {
    this.#active.delete(process);
    this.#restingAt(process.pid).delete(process);
  }

  forEachDue(tick: number, look: (process: T) => void): void {
    this.#active.forEach(look);
    this.#restingAt(tick).forEach(look);
  }

  /** Not to be called while {@link forEachDue} runs. */
  rest(process: T): void {
    if (this.#active.delete(process)) this.#restingAt(process.pid).add(process);
  }

  /** Not to be called while {@link forEachDue} runs. */
  wake(process: T): void {
    if (this.#restingAt(process.pid).delete(process)) this.#active.add(process);
  }

  #restingAt(number: number): Set<T> {
    return this.#resting[number % roundTicks] ?? this.#active;
  }
}
