import { expect, test } from 'vitest';
import type { OutputFrame, ProcessEnd } from '../../../src/host/process/frame.ts';
import { QuirkQueue } from '../../../src/host/process/quirk-queue.ts';

const frame = (text: string): OutputFrame => ({ stream: 'stdout', data: Buffer.from(text) });
const never = new AbortController().signal;
const lucky = () => 0.9;

async function textOf(stream: AsyncIterable<OutputFrame | ProcessEnd>): Promise<string[]> {
  const texts: string[] = [];
  for await (const item of stream) texts.push('data' in item ? item.data.toString() : 'end');
  return texts;
}

test('what was written before is kept for the first reader, and is gone for a second', async () => {
  const queue = new QuirkQueue(lucky);
  queue.push(frame('a'));
  queue.push(frame('b'));
  queue.end({ exitCode: 0, signal: null });
  expect(await textOf(queue.read(never))).toEqual(['a', 'b', 'end']);
  expect(await textOf(queue.read(never))).toEqual([]);
});

test('output comes in chunks of 4096 bytes', async () => {
  const queue = new QuirkQueue(lucky);
  queue.push(frame('x'.repeat(9_000)));
  queue.end({ exitCode: 0, signal: null });
  expect((await textOf(queue.read(never))).map((text) => text.length)).toEqual([
    4096, 4096, 808, 3,
  ]);
});

test('a process that nobody reads is stopped at 256 chunks, and goes on when they are taken', async () => {
  const queue = new QuirkQueue(lucky);
  let resumed = 0;
  queue.onDrain(() => resumed++);
  const answers = Array.from({ length: 256 }, () => queue.push(frame('line\n')));
  expect(answers.indexOf(false)).toBe(255);
  expect(resumed).toBe(0);
  await queue.read(never).next();
  expect(resumed).toBe(1);
});

test('two readers split what is written between them', async () => {
  const queue = new QuirkQueue(lucky);
  const readers = [queue.read(never), queue.read(never)];
  const first = readers.map((reader) => reader.next());
  queue.push(frame('a'));
  queue.push(frame('b'));
  const values = (await Promise.all(first)).map(({ value }) => value);
  expect(values).toEqual([frame('a'), frame('b')]);
});

test('a reader that went away takes one more chunk with it', async () => {
  const queue = new QuirkQueue(lucky);
  const stop = new AbortController();
  const waiting = queue.read(stop.signal).next();
  stop.abort();
  queue.push(frame('lost'));
  queue.push(frame('kept'));
  queue.end({ exitCode: 0, signal: null });
  expect((await waiting).done).toBe(true);
  expect(await textOf(queue.read(never))).toEqual(['kept', 'end']);
});

test('after the end each piece may be the last', async () => {
  const throws = [0.9, 0.9, 0.1];
  const queue = new QuirkQueue(() => throws.shift() ?? 0.9);
  for (const text of ['a', 'b', 'c']) queue.push(frame(text));
  queue.end({ exitCode: 0, signal: null });
  expect(await textOf(queue.read(never))).toEqual(['a', 'b']);
});
