import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { expectedProblem, problemTeller } from '../../../src/cli/serve/problem-teller.ts';
import { HeadroomError } from '../../../src/model/errors.ts';

const tooMany =
  'this process may not have as many files open as it needs (EMFILE) [TOO_MANY_OPEN_FILES]';

test('each problem is told once, from wherever it comes', async () => {
  const stderr = new PassThrough();
  const tell = problemTeller({ stderr });
  const emfile = Object.assign(new Error("EMFILE: open 'x.js'"), { code: 'EMFILE' });
  tell(new HeadroomError('FILE_EMPTY', 'a.db: the file is empty'));
  tell('a.db: the file is empty [FILE_EMPTY]');
  tell(emfile);
  tell(new HeadroomError('FILE_NOT_READABLE', 'b.db: cannot be read', { cause: emfile }));
  tell(tooMany);
  stderr.end();
  expect(await text(stderr)).toBe(`a.db: the file is empty [FILE_EMPTY]\n${tooMany}\n`);
});

test('a thread that had no files to begin with', () => {
  const error = Object.assign(new Error('Worker initialization failure: EMFILE'), {
    code: 'ERR_WORKER_INIT_FAILED',
  });
  expect(expectedProblem(error)).toBe(tooMany);
  expect(expectedProblem(new Error('EMFILE is only a word here'))).toBeNull();
});
