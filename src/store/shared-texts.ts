import type { Database, Statement } from './driver.ts';

/**
 * The table `process_text`: what many processes have in common (the renderers' command line, a
 * cgroup) is stored once. Numbers that were given in a transaction count only when it was committed.
 */
export class SharedTexts {
  readonly #insert: Statement;
  readonly #numbers = new Map<string, number>();
  readonly #added: string[] = [];
  #next: number;

  readonly #select: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO process_text (text, value) VALUES (?, ?)');
    this.#select = db.prepare('SELECT text, value FROM process_text');
    this.#next = 1;
    this.reload();
  }

  /** Learns what is in the file, after something else changed that. */
  reload(): void {
    this.#numbers.clear();
    for (const { text, value } of this.#select.all() as { text: number; value: string }[]) {
      this.#numbers.set(value, text);
      this.#next = Math.max(this.#next, text + 1);
    }
  }

  /** How many texts are known by heart. */
  get size(): number {
    return this.#numbers.size;
  }

  /** The number of a text, which is stored when it is new; null for null. */
  numberOf(value: string | null): number | null {
    if (value === null) return null;
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const text = this.#next++;
    this.#insert.run(text, value);
    this.#numbers.set(value, text);
    this.#added.push(value);
    return text;
  }

  /** What was added is in the file. */
  commit(): void {
    this.#added.length = 0;
  }

  /** Forgets what was added: its transaction failed. */
  discard(): void {
    for (const value of this.#added) this.#numbers.delete(value);
    this.#next -= this.#added.length;
    this.#added.length = 0;
  }

  /** Keeps only these by heart; another one that comes again is stored again. */
  forgetAllBut(used: ReadonlySet<string | null>): void {
    for (const value of this.#numbers.keys()) {
      if (!used.has(value)) this.#numbers.delete(value);
    }
  }
}
