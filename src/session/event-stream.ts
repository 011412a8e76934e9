// An event holds one read of 4 KiB in base64; this is far beyond it.
const longestEvent = 16 * 2 ** 20;

/**
 * The data of each server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html)
 * in a body that comes in pieces of any size. Comments and other fields are passed over; an event
 * that the body ends in is given as well. RangeError for one of more than 16 MiB.
 */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longestEvent) throw new RangeError('an event of more than 16 MiB');
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      }
      data.push(...dataOf(line));
    }
  }
  data.push(...dataOf(rest));
  if (data.length > 0) yield data.join('\n');
}

function dataOf(line: string): string[] {
  if (!line.startsWith('data:')) return [];
  return [line.slice(line.startsWith('data: ') ? 6 : 5)];
}
