import { isPid, type ProcFs } from './proc-fs.ts';

/** What the list of processes gained and lost. */
export interface PidChanges {
  appeared: readonly number[];
  gone: readonly number[];
}

const unchanged: PidChanges = { appeared: [], gone: [] };
// Not for ever: where /proc is emulated (lxcfs), the figures may be some seconds old.
const mostTrusted = 4;

/**
 * The processes of the machine from look to look. Both lists are in the same order, and those that
 * come and go mostly have pids close together: what is the same before and behind them is left out,
 * and next to nothing is left to be compared.
 */
export class PidList {
  #population: string | null = null;
  #trustedCount = 0;
  readonly #proc: ProcFs;
  #names: readonly string[] = [];

  constructor(proc: ProcFs) {
    this.#proc = proc;
  }

  /**
   * Lists /proc, which is the dearest single call of a tick, unless `population`, read before this
   * call, says that it is the list of the last look. Throws MACHINE_UNREADABLE when it cannot.
   */
  update(population: string | null): PidChanges {
    const isSame = population !== null && population === this.#population;
    if (isSame && this.#trustedCount < mostTrusted) {
      this.#trustedCount++;
      return unchanged;
    }
    this.#trustedCount = 0;
    this.#population = population;
    return this.#look();
  }

  #look(): PidChanges {
    const before = this.#names;
    const names = this.#proc.names();
    this.#names = names;
    let from = 0;
    while (from < names.length && names[from] === before[from]) from++;
    let to = names.length;
    let toBefore = before.length;
    while (to > from && toBefore > from && names[to - 1] === before[toBefore - 1]) {
      to--;
      toBefore--;
    }
    const gone = new Set(before.slice(from, toBefore).filter(isPid));
    const appeared: number[] = [];
    for (let at = from; at < to; at++) {
      const name = names[at] ?? '';
      if (!gone.delete(name) && isPid(name)) appeared.push(Number(name));
    }
    return { appeared, gone: [...gone].map(Number) };
  }
}
