import { expect, test } from 'vitest';
import { openFilesError } from '../../src/cli/open-files-error.ts';
import { HeadroomError } from '../../src/model/errors.ts';

const errno = (code: string) => Object.assign(new Error(`${code}: too many open files`), { code });

test.each([
  ['EMFILE', 'ulimit -n'],
  ['ENFILE', 'fs.file-max'],
])('%s, and what came of it, is one error with what to do', (code, hint) => {
  const inner = errno(code);
  const outer = new HeadroomError('FILE_NOT_WRITABLE', 'a.db: cannot be written', { cause: inner });
  for (const error of [inner, outer]) {
    const told = openFilesError(error);
    expect(told?.code).toBe('TOO_MANY_OPEN_FILES');
    expect(told?.message).toContain(code);
    expect(told?.hint).toContain(hint);
    expect(told?.cause).toBe(error);
  }
});

test('any other error is left as it is', () => {
  expect(openFilesError(errno('EACCES'))).toBeNull();
  expect(openFilesError(new Error('a bug'))).toBeNull();
  expect(openFilesError(undefined)).toBeNull();
});
