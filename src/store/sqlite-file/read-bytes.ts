import { readSync } from 'node:fs';

/** Reads until the buffer is full or the file ends; gives what was read. */
export function readBytes(file: number, buffer: Buffer, position: number): Buffer {
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(file, buffer, length, buffer.length - length, position + length);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

// Some pages at a time: a call for each is saved. A larger buffer is mapped anew for each file, which
// made checking a thousand small ones take nearly three times the CPU.
const chunkBytes = 2 ** 16;

/**
 * The pages of a file from its first, one after the other; the last may be cut. Each is valid until
 * the next one is asked for.
 */
export function* readPages(
  file: number,
  { pageSizeBytes, pageCount }: { pageSizeBytes: number; pageCount: number },
): Generator<Buffer> {
  const perChunk = chunkBytes / pageSizeBytes;
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, pageCount * pageSizeBytes));
  for (let first = 0; first < pageCount; first += perChunk) {
    const wanted = Math.min(perChunk, pageCount - first) * pageSizeBytes;
    const chunk = readBytes(file, buffer.subarray(0, wanted), first * pageSizeBytes);
    for (let at = 0; at < chunk.length; at += pageSizeBytes) {
      yield chunk.subarray(at, at + pageSizeBytes);
    }
    if (chunk.length < wanted) return;
  }
}
