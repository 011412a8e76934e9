import { KeyedFileParser } from './keyed-file.ts';

const parser = new KeyedFileParser({ read: 'read_bytes: ', written: 'write_bytes: ' });

/** What is used of `/proc/<pid>/io` (proc_pid_io(5)): what went to and came from storage. */
export interface ProcessIo {
  readBytes: number | null;
  writtenBytes: number | null;
}

/** Bytes, cumulative since the start of the process; null where there is no such line. */
export function parseProcessIo(buffer: Buffer, length: number): ProcessIo {
  const { read, written } = parser.parse(buffer, length);
  return { readBytes: read, writtenBytes: written };
}
