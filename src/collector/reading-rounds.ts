// Of few a sixteenth in each tick; of many so few as to keep to the cost, and everyone within 64 ticks.
const slotCount = 64;
const mostSlotsATick = 4;
const enoughATick = 8;

/**
 * Which processes are due in which tick: the active ones in every tick, each resting one in one tick
 * of sixteen, or up to 64 where there are more than 128 of them, so that thousands of idle processes
 * cost next to nothing.
 */
export class ReadingRounds<T extends { pid: number }> {
  readonly #active = new Set<T>();
  readonly #resting = Array.from({ length: slotCount }, () => new Set<T>());
  #restingCount = 0;

  /** Active from now on. */
  add(process: T): void {
    this.#active.add(process);
  }

  delete(process: T): void {
    this.#active.delete(process);
    this.#rouse(process);
  }

  forEachDue(tick: number, look: (process: T) => void): void {
    this.#active.forEach(look);
    const round = slotCount / this.#slotsATick();
    for (let slot = tick % round; slot < slotCount; slot += round) {
      this.#resting[slot]?.forEach(look);
    }
  }

  /** Not to be called while {@link forEachDue} runs. */
  rest(process: T): void {
    if (!this.#active.delete(process)) return;
    this.#slotOf(process).add(process);
    this.#restingCount++;
  }

  /** Not to be called while {@link forEachDue} runs. */
  wake(process: T): void {
    if (this.#rouse(process)) this.#active.add(process);
  }

  /** A divisor of the number of slots. */
  #slotsATick(): 1 | 2 | 4 {
    const enough = (enoughATick * slotCount) / this.#restingCount;
    if (enough >= mostSlotsATick) return mostSlotsATick;
    return enough >= 2 ? 2 : 1;
  }

  #rouse(process: T): boolean {
    const wasResting = this.#slotOf(process).delete(process);
    if (wasResting) this.#restingCount--;
    return wasResting;
  }

  #slotOf({ pid }: T): Set<T> {
    return this.#resting[pid % slotCount] ?? this.#active;
  }
}
