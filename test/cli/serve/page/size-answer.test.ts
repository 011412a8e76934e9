import { expect, test } from 'vitest';
import { type SizeAnswer, SizeAnswers } from '../../../../src/cli/serve/page/size-answer.ts';

const file = { name: 'a.db', path: '/recordings/a.db', bytes: 1, stamp: '1' };

test('an answer is given again; a failed one is asked for again', async () => {
  const answers: (SizeAnswer | Error)[] = [
    { problem: 'the thread ended with 1' },
    new Error('no thread could be started'),
    { report: '{}' },
  ];
  const asked: string[][] = [];
  const sizes = new SizeAnswers(async (paths) => {
    asked.push([...paths]);
    const next = answers.shift() ?? new Error('asked once too often');
    if (next instanceof Error) throw next;
    return next;
  });
  expect(await sizes.answer([file])).toEqual({ problem: 'the thread ended with 1' });
  await expect(sizes.answer([file])).rejects.toThrow('no thread could be started');
  expect(await sizes.answer([file])).toEqual({ report: '{}' });
  expect(await sizes.answer([file])).toEqual({ report: '{}' });
  expect(asked).toEqual([[file.path], [file.path], [file.path]]);
});
