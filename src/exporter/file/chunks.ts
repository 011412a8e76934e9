// A write for each line or packet would take ten times as long.
const chunkSize = 64 * 1024;

/** The same text in larger pieces. */
export function* textChunks(parts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const part of parts) {
    chunk += part;
    if (chunk.length < chunkSize) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** The same bytes in larger pieces. */
export function* byteChunks(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let size = 0;
  for (const part of parts) {
    gathered.push(part);
    size += part.byteLength;
    if (size < chunkSize) continue;
    yield Buffer.concat(gathered, size);
    gathered = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(gathered, size);
}
