import { errnoOf } from '../../model/errors.ts';
import { HttpProblem } from '../http/problem.ts';

const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EEXIST: 'file exists',
  ENOTDIR: 'not a directory',
  EISDIR: 'is a directory',
  ENOTEMPTY: 'directory not empty',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  EINVAL: 'invalid argument',
  EXDEV: 'invalid cross-device link',
  EBUSY: 'device or resource busy',
  ENXIO: 'no such device or address',
};

/** What the system says of a file as the answer of the API, after `doing`; other errors as they are. */
export function fileProblem(error: unknown, doing = ''): unknown {
  const errno = errnoOf(error);
  if (errno === 'ENOENT') return new HttpProblem(404, 'file not found');
  const text = errno === null ? undefined : words[errno];
  return text === undefined ? error : new HttpProblem(400, `${doing}${text}`);
}
