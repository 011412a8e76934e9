import type { PageFile } from './page-file.ts';
import { readVarint } from './record.ts';

/** A page of a table or an index (sqlite.org/fileformat2.html, "B-tree Pages"). */
export interface BtreePage {
  /** `table`: rows are found by their number. `index`: by their content, as WITHOUT ROWID. */
  kind: 'table' | 'index';
  isLeaf: boolean;
  cells: Cell[];
  /** The page with everything after the last cell; null in a leaf. */
  lastChild: number | null;
  /** Cells that make no sense. */
  brokenCells: number;
}

export interface Cell {
  /** The page with everything before this cell; null in a leaf. */
  child: number | null;
  /** Of a table: the number of its row, or the largest one below `child`. */
  key: number | null;
  /** Bytes of the row; null in the inner pages of a table. */
  payload: Payload | null;
}

interface Payload {
  lengthBytes: number;
  /** What of it is in this page. */
  local: Buffer;
  /** The page with the rest; 0: there is none. */
  overflowPage: number;
}

const types: Readonly<Record<number, Pick<BtreePage, 'kind' | 'isLeaf'>>> = {
  2: { kind: 'index', isLeaf: false },
  5: { kind: 'table', isLeaf: false },
  10: { kind: 'index', isLeaf: true },
  13: { kind: 'table', isLeaf: true },
};
const databaseHeaderBytes = 100;
// No row of ours comes near; a larger one is a length that was damaged.
const longestRowBytes = 2 ** 24;

/** Null when the page is none of a table or an index. */
export function parseBtreePage(
  bytes: Buffer,
  { number, usableBytes }: { number: number; usableBytes: number },
): BtreePage | null {
  const start = number === 1 ? databaseHeaderBytes : 0;
  const type = types[bytes.readUInt8(start)];
  if (type === undefined) return null;
  const cellCount = bytes.readUInt16BE(start + 3);
  const pointersAt = start + (type.isLeaf ? 8 : 12);
  if (pointersAt + 2 * cellCount > usableBytes) return null;
  const page = bytes.subarray(0, usableBytes);
  const cells: Cell[] = [];
  for (let index = 0; index < cellCount; index++) {
    const cell = parseCell(page, bytes.readUInt16BE(pointersAt + 2 * index), type);
    if (cell !== null) cells.push(cell);
  }
  return {
    ...type,
    cells,
    lastChild: type.isLeaf ? null : bytes.readUInt32BE(start + 8),
    brokenCells: cellCount - cells.length,
  };
}

/** The whole row of a cell; null when a page with a part of it is missing or makes no sense. */
export function readPayload(payload: Payload, file: PageFile): Buffer | null {
  const { lengthBytes, local } = payload;
  if (payload.overflowPage === 0) return local;
  const parts = [local];
  let length = local.length;
  for (let next = payload.overflowPage; length < lengthBytes; ) {
    const page = next > 0 && next <= file.pageCount ? file.page(next) : null;
    if (page === null) return null;
    const part = page.subarray(4, Math.min(file.usableBytes, 4 + lengthBytes - length));
    parts.push(part);
    length += part.length;
    next = page.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function parseCell(
  page: Buffer,
  start: number,
  { kind, isLeaf }: Pick<BtreePage, 'kind' | 'isLeaf'>,
): Cell | null {
  let at = start;
  let child: number | null = null;
  if (!isLeaf) {
    if (at + 4 > page.length) return null;
    child = page.readUInt32BE(at);
    at += 4;
  }
  if (kind === 'table' && !isLeaf) {
    const key = readVarint(page, at);
    return key === null ? null : { child, key: key.value, payload: null };
  }
  const length = readVarint(page, at);
  if (length === null || length.value > longestRowBytes) return null;
  const key = kind === 'table' ? readVarint(page, length.end) : { value: null, end: length.end };
  if (key === null) return null;
  const payload = parsePayload(page, { start: key.end, lengthBytes: length.value, kind });
  return payload === null ? null : { child, key: key.value, payload };
}

function parsePayload(
  page: Buffer,
  { start, lengthBytes, kind }: { start: number; lengthBytes: number; kind: BtreePage['kind'] },
): Payload | null {
  const localBytes = localPayloadBytes(lengthBytes, page.length, kind);
  const end = start + localBytes;
  const hasOverflow = localBytes < lengthBytes;
  if (end + (hasOverflow ? 4 : 0) > page.length) return null;
  return {
    lengthBytes,
    local: page.subarray(start, end),
    overflowPage: hasOverflow ? page.readUInt32BE(end) : 0,
  };
}

function localPayloadBytes(
  lengthBytes: number,
  usableBytes: number,
  kind: BtreePage['kind'],
): number {
  const most =
    kind === 'table' ? usableBytes - 35 : Math.floor(((usableBytes - 12) * 64) / 255) - 23;
  if (lengthBytes <= most) return lengthBytes;
  const least = Math.floor(((usableBytes - 12) * 32) / 255) - 23;
  const fitting = least + ((lengthBytes - least) % (usableBytes - 4));
  return fitting <= most ? fitting : least;
}
