import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvents } from '../../src/session/event-stream.ts';

async function* chunksOf(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  for (let at = 1; at < places.length; at++) yield bytes.subarray(places[at - 1], places[at]);
}

async function read(text: string, cuts: readonly number[] = []): Promise<string[]> {
  const events: string[] = [];
  for await (const event of readEvents(chunksOf(Buffer.from(text), cuts))) events.push(event);
  return events;
}

// Examples of the specification: comments, no blank after the colon, CRLF, several lines of data.
test.each([
  ['data: a\n\ndata: b\n\n', ['a', 'b']],
  [': comment\n\ndata:a\nid: 7\nevent: x\n\n', ['a']],
  ['data: one\r\ndata: two\r\n\r\n', ['one\ntwo']],
  ['data: the last has no blank line', ['the last has no blank line']],
  ['', []],
])('%j', async (text, events) => {
  expect(await read(text)).toEqual(events);
});

test('where the network cuts makes no difference, also within a character', async () => {
  const text = 'data: ä€😀\n\n: comment\n\ndata: b\n\n';
  const length = Buffer.byteLength(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: length })), async (cuts) => {
      expect(await read(text, cuts)).toEqual(['ä€😀', 'b']);
    }),
  );
});
