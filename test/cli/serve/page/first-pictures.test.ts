import { expect, test, vi } from 'vitest';
import { FirstPictures } from '../../../../src/cli/serve/page/first-pictures.ts';

const file = (name: string, stamp = '1') => ({ name, path: `/r/${name}`, bytes: 1, stamp });

function start(status = 200) {
  const read = vi.fn(({ name, stamp }: { name: string; stamp: string }) => {
    if (name === 'bug.db') throw new Error('a bug');
    return { status, contentType: 'application/json', body: `${name} ${stamp}` };
  });
  return { read, pictures: new FirstPictures(read) };
}

test('a recording is read once for each state of it', () => {
  const { read, pictures } = start();
  for (const stamp of ['1', '1', '2', '2']) {
    expect(pictures.answer(file('a.db', stamp)).body).toBe(`a.db ${stamp}`);
  }
  expect(read).toHaveBeenCalledTimes(2);
});

test('what is prepared is read then, and not again', async () => {
  const { read, pictures } = start();
  pictures.prepare(() => file('a.db'));
  pictures.prepare(() => null);
  expect(read).not.toHaveBeenCalled();
  await new Promise(setImmediate);
  expect(read).toHaveBeenCalledTimes(1);
  expect(pictures.answer(file('a.db')).body).toBe('a.db 1');
  expect(read).toHaveBeenCalledTimes(1);
});

test('what cannot be read is tried again, and told to whoever asks', async () => {
  const { read, pictures } = start(422);
  pictures.answer(file('a.db'));
  pictures.answer(file('a.db'));
  expect(read).toHaveBeenCalledTimes(2);
  pictures.prepare(() => file('bug.db'));
  await new Promise(setImmediate);
  expect(() => pictures.answer(file('bug.db'))).toThrow('a bug');
});

test('of many the oldest goes', () => {
  const { read, pictures } = start();
  for (let at = 0; at < 9; at++) pictures.answer(file(`${at}.db`));
  pictures.answer(file('8.db'));
  expect(read).toHaveBeenCalledTimes(9);
  pictures.answer(file('0.db'));
  expect(read).toHaveBeenCalledTimes(10);
});
