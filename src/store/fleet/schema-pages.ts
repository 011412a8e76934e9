import { parseBtreePage } from '../sqlite-file/btree-page.ts';
import { type DatabaseHeader, databaseHeaderBytes } from '../sqlite-file/database-header.ts';

/** The pages of a database that say which tables it has, and where they are. */
export class SchemaPages {
  readonly #parts: readonly Part[];

  constructor(pages: Buffer, header: DatabaseHeader) {
    this.#parts = pageNumbers(pages, header).map((number) => {
      const { start, end } = rangeOf(number, header.pageSizeBytes);
      return { start, bytes: Buffer.from(pages.subarray(start, end)) };
    });
  }

  /** Whether another database has the same ones: each of them says where the next is. */
  areIn(pages: Buffer): boolean {
    return this.#parts.every(({ start, bytes }) =>
      bytes.equals(pages.subarray(start, start + bytes.length)),
    );
  }
}

interface Part {
  start: number;
  bytes: Buffer;
}

/** The tree of `sqlite_schema`, which begins on page 1, with what did not fit into its pages. */
function pageNumbers(pages: Buffer, { pageSizeBytes, reservedBytes }: DatabaseHeader): number[] {
  const numbers = [1];
  const add = (number: number | null) => {
    const isThere = number !== null && number > 0 && number * pageSizeBytes <= pages.length;
    if (isThere && !numbers.includes(number)) numbers.push(number);
  };
  const bytesOf = (number: number) =>
    pages.subarray((number - 1) * pageSizeBytes, number * pageSizeBytes);
  const overflowing = new Set<number>();
  // Grows while it is gone through.
  for (const number of numbers) {
    if (overflowing.has(number)) {
      addOverflow(bytesOf(number).readUInt32BE(0));
      continue;
    }
    const usableBytes = pageSizeBytes - reservedBytes;
    const page = parseBtreePage(bytesOf(number), { number, usableBytes });
    if (page === null) continue;
    for (const { child, payload } of page.cells) {
      add(child);
      addOverflow(payload?.overflowPage ?? 0);
    }
    add(page.lastChild);
  }
  return numbers;

  function addOverflow(number: number): void {
    overflowing.add(number);
    add(number);
  }
}

function rangeOf(number: number, pageSizeBytes: number): { start: number; end: number } {
  const start = (number - 1) * pageSizeBytes;
  // What the head of the database says is of its contents.
  return { start: number === 1 ? databaseHeaderBytes : start, end: start + pageSizeBytes };
}
