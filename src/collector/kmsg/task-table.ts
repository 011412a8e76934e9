export interface ListedTask {
  pid: number;
  /** One byte per character (latin1). */
  comm: string;
  /** The table counts in pages, unlike the rest of the report. */
  rssPages: number;
}

/**
 * The task table of one OOM report. Its columns changed at least six times between 4.4 and 6.18,
 * so they are found by name.
 */
export class TaskTable {
  readonly #tasks = new Map<number, ListedTask>();
  readonly #rssColumn: number;
  readonly #row: RegExp;

  /** `columns` are the names behind `[  pid  ]`, the last one being the task's name. */
  constructor(columns: readonly string[]) {
    this.#rssColumn = columns.indexOf('rss');
    // All columns but the last are without blanks; the rest is a comm, blanks included.
    this.#row = new RegExp(`^((?:\\s+\\S+){${columns.length - 1}}) (.*)$`, 's');
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** `rest` is what follows `[pid]`. A row in another layout still counts as a task. */
  add(pid: number, rest: string): void {
    const row = this.#row.exec(rest);
    const rss = (row?.[1] ?? '').trim().split(/\s+/)[this.#rssColumn] ?? '';
    this.#tasks.set(pid, {
      pid,
      comm: row?.[2] ?? '',
      rssPages: /^\d{1,15}$/.test(rss) ? Number(rss) : 0,
    });
  }

  has(pid: number): boolean {
    return this.#tasks.has(pid);
  }

  /** The largest task by RSS that is not `victimPid`; null when no size is known. */
  largestBesides(victimPid: number): ListedTask | null {
    let largest: ListedTask | null = null;
    for (const task of this.#tasks.values()) {
      if (task.pid !== victimPid && task.rssPages > (largest?.rssPages ?? 0)) largest = task;
    }
    return largest;
  }
}
