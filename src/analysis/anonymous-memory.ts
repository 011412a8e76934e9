import type { ProcessSample } from '../model/recording.ts';

/** What a process has for itself and cannot give back. */
export interface AnonymousMemory {
  bytes: number;
  /** `pss_anon`: of its share, as last read, and what anonymous memory changed since. */
  source: 'pss_anon' | 'anon';
}

/** Follows the rows of processes: the anonymous memory of each, as far as it is known by then. */
export class AnonymousMemories {
  readonly #known = new Map<number, { row: ProcessSample; read: ProcessSample | null }>();

  add(row: ProcessSample): void {
    const read = row.pssAnonBytes === null ? (this.#known.get(row.process)?.read ?? null) : row;
    // A process that is dying has none any more; what it had last is what counts.
    if (row.anonBytes !== null) this.#known.set(row.process, { row, read });
  }

  /** Null where it was not read. */
  of(process: number): AnonymousMemory | null {
    const known = this.#known.get(process);
    if (known === undefined || known.row.anonBytes === null) return null;
    const { read } = known;
    if (read === null || read.pssAnonBytes === null || read.anonBytes === null) {
      return { bytes: known.row.anonBytes, source: 'anon' };
    }
    const changedBytes = known.row.anonBytes - read.anonBytes;
    return { bytes: Math.max(0, read.pssAnonBytes + changedBytes), source: 'pss_anon' };
  }
}
