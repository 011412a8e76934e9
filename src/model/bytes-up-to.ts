/**
 * What comes, up to so many bytes; the rest, of which there may be no end, is not waited for. Not all:
 * there was more, and up to one chunk of it is here as well.
 */
export async function bytesUpTo(
  chunks: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<{ bytes: Buffer; isAll: boolean }> {
  const taken: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    taken.push(chunk);
    length += chunk.length;
    if (length > mostBytes) break;
  }
  return { bytes: Buffer.concat(taken), isAll: length <= mostBytes };
}
