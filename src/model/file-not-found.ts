import { HeadroomError } from './errors.ts';

/**
 * FILE_NOT_FOUND, also of a name that is not UTF-8: what a folder, or a command line, gives of it has
 * U+FFFD in place of its bytes, and names no file any more.
 */
export function fileNotFound(path: string, kind: string, cause?: unknown): HeadroomError {
  if (!isMisread(path))
    return new HeadroomError('FILE_NOT_FOUND', `${path}: no such ${kind}`, { cause });
  return new HeadroomError('FILE_NOT_FOUND', `${path}: its name is not UTF-8, or no such ${kind}`, {
    hint: 'A name that is not UTF-8 cannot be read here: give it another one.',
    cause,
  });
}

/** Whether something of a name may have been lost when it was read as text. */
export function isMisread(path: string): boolean {
  return path.includes('\ufffd');
}
