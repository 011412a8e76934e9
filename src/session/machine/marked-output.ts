/** What follows the mark in an output, or all there was when no mark came. */
export type MarkedOutput =
  | { word: string; rest: AsyncGenerator<Uint8Array> }
  | { word: null; noise: string };

const mostNoiseBytes = 64 * 1024;

/**
 * Reads an output up to the line that begins with the mark: what a login shell or ssh says before it is
 * noise. Gives the rest of that line, and what follows as it comes.
 */
export async function afterMark(
  output: AsyncIterable<Uint8Array>,
  mark: string,
): Promise<MarkedOutput> {
  const pieces = output[Symbol.asyncIterator]();
  let seen = Buffer.alloc(0);
  for (;;) {
    const at = seen.indexOf(mark);
    const end = at < 0 ? -1 : seen.indexOf('\n', at);
    if (end >= 0) {
      const word = seen.toString('latin1', at + mark.length, end).trim();
      return { word, rest: restOf(seen.subarray(end + 1), pieces) };
    }
    const next = await pieces.next();
    if (next.done === true) return { word: null, noise: seen.toString('utf8') };
    seen = Buffer.concat([seen, next.value]);
    if (at < 0 && seen.length > mostNoiseBytes) seen = seen.subarray(-mostNoiseBytes);
  }
}

async function* restOf(
  first: Uint8Array,
  pieces: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    yield next.value;
  }
}
