import { isPid, type ProcFs } from './proc-fs.ts';

/** What the list of processes gained and lost. */
export interface PidChanges {
  appeared: readonly number[];
  gone: readonly number[];
}

/**
 * The processes of the machine from look to look. /proc lists them ascending, and new ones have the
 * highest pids: the two lists are the same up to the first process that ended in between, mostly a
 * young one, so next to nothing is left to be compared.
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
    let same = 0;
    while (same < names.length && names[same] === before[same]) same++;
    const gone = new Set(before.slice(same).filter(isPid));
    const appeared: number[] = [];
    for (let at = same; at < names.length; at++) {
      const name = names[at] ?? '';
      if (!gone.delete(name) && isPid(name)) appeared.push(Number(name));
    }
    return { appeared, gone: [...gone].map(Number) };
  }
}
