/**
 * The name of a result code as SQLite's own header has it (sqlite.org/rescode.html), such as
 * `SQLITE_IOERR_WRITE` for 778. An extended code that is newer than this table has the name of its
 * primary code; null for what is none.
 */
export function resultCodeName(code: number): string | null {
  const primary = primaryNames[code % 256];
  if (primary === undefined || primary === '') return null;
  const extended = extendedNames[primary]?.[Math.floor(code / 256) - 1] ?? '';
  return extended === '' ? `SQLITE_${primary}` : `SQLITE_${primary}_${extended}`;
}

// By number, from 0. An empty place is a number that was never given.
const primaryNames = words(
  `OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL
   CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB
   NOTICE WARNING`,
);

// By the second byte, from 1.
const extendedNames: Readonly<Record<string, readonly string[]>> = {
  ERROR: words('MISSING_COLLSEQ RETRY SNAPSHOT RESERVESIZE KEY UNABLE'),
  ABORT: words('- ROLLBACK'),
  BUSY: words('RECOVERY SNAPSHOT TIMEOUT'),
  LOCKED: words('SHAREDCACHE VTAB'),
  READONLY: words('RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY'),
  IOERR: words(
    `READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS
     CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP
     GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS
     IN_PAGE BADKEY CODEC`,
  ),
  CORRUPT: words('VTAB SEQUENCE INDEX'),
  CANTOPEN: words('NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK'),
  CONSTRAINT: words(
    'CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE',
  ),
};

function words(text: string): string[] {
  return text.split(/\s+/).map((word) => (word === '-' ? '' : word));
}
