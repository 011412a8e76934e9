/** What the first 100 bytes of a SQLite file say (sqlite.org/fileformat2.html, "The Database Header"). */
export interface DatabaseHeader {
  pageSizeBytes: number;
  /** Bytes at the end of each page that hold no rows. */
  reservedBytes: number;
  /** It is written through a log beside it (WAL); only a program that closes it well changes that. */
  usesLog: boolean;
  /** Counts the transactions that went into the file without a log. */
  changeCounter: number;
  /** Null where an old program left it behind, or where the header is damaged. */
  pageCount: number | null;
  /** 0: no page is free. */
  firstFreelistPage: number;
  userVersion: number;
  applicationId: number;
}

export const databaseHeaderBytes = 100;
const magic = 'SQLite format 3\0';

/** Null when these are not the first bytes of a database. */
export function parseDatabaseHeader(bytes: Buffer): DatabaseHeader | null {
  if (bytes.length < databaseHeaderBytes || !startsAsDatabase(bytes)) return null;
  const storedPageSize = bytes.readUInt16BE(16);
  const changeCounter = bytes.readUInt32BE(24);
  const isCountValid = changeCounter === bytes.readUInt32BE(92);
  return {
    pageSizeBytes: storedPageSize === 1 ? 65_536 : storedPageSize,
    reservedBytes: bytes.readUInt8(20),
    usesLog: bytes.readUInt8(19) === 2,
    changeCounter,
    pageCount: isCountValid ? bytes.readUInt32BE(28) : null,
    firstFreelistPage: bytes.readUInt32BE(32),
    userVersion: bytes.readInt32BE(60),
    applicationId: bytes.readInt32BE(68),
  };
}

/** Whether it begins as a database does; the rest of the header may be missing. */
export function startsAsDatabase(bytes: Buffer): boolean {
  return bytes.subarray(0, magic.length).toString('latin1') === magic;
}

/** Whether a page may have this size. */
export function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && Number.isInteger(Math.log2(bytes));
}
