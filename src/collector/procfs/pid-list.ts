import { isPid, type ProcFs } from './proc-fs.ts';

/** What the list of processes gained and lost. */
export interface PidChanges {
  appeared: readonly number[];
  gone: readonly number[];
}

/**
 * The processes of the machine from look to look. Both lists are in the same order, and those that
 * come and go mostly have pids close together: what is the same before and behind them is left out,
 * and next to nothing is left to be compared.
 */
export class PidList {
  readonly #proc: ProcFs;
  #names: readonly string[] = [];

  constructor(proc: ProcFs) {
    this.#proc = proc;
  }

  /** Throws MACHINE_UNREADABLE when /proc cannot be listed. */
  update(): PidChanges {
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
