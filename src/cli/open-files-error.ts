import { errnoOf, HeadroomError } from '../model/errors.ts';

/**
 * What is said of an error that is, or comes of, a limit of open files: of this process (EMFILE) or of
 * the whole machine (ENFILE). Whatever could not be opened then, a file of the user or a module of
 * Headroom itself, is not what is wrong. Null: it is another error.
 */
export function openFilesError(error: unknown): HeadroomError | null {
  for (let at = error; at !== undefined; at = causeOf(at)) {
    const errno = errnoOf(at) === 'ERR_WORKER_INIT_FAILED' ? errnoNamedIn(at) : errnoOf(at);
    if (errno === 'EMFILE') {
      return new HeadroomError(
        'TOO_MANY_OPEN_FILES',
        'this process may not have as many files open as it needs (EMFILE)',
        {
          hint: 'Raise the limit of open files in this shell and run it again: ulimit -n 1024',
          cause: error,
        },
      );
    }
    if (errno === 'ENFILE') {
      return new HeadroomError(
        'TOO_MANY_OPEN_FILES',
        'this machine has as many files open as it may (ENFILE)',
        {
          hint: 'End programs that keep many files open, or raise fs.file-max (sysctl).',
          cause: error,
        },
      );
    }
  }
  return null;
}

// Of a thread that could not be started, Node.js gives the errno in words only.
function errnoNamedIn(error: unknown): string | null {
  return error instanceof Error ? (/\bE[MN]FILE\b/.exec(error.message)?.[0] ?? null) : null;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
