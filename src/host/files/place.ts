import fs from 'node:fs';
import { errnoOf } from '../../model/errors.ts';
import { HttpProblem } from '../http/problem.ts';

/**
 * A name in a folder of the session, the folder held open: whatever is moved or linked meanwhile,
 * {@link Place.path} is in that folder. Dispose it.
 */
export interface Place extends Disposable {
  /** For system calls that do not follow a link at its end; open with O_NOFOLLOW. */
  path: string;
  /** Empty for the root itself. */
  name: string;
}

export interface PlaceOptions {
  /** Whether a link at the end is followed, inside the root; default true. */
  followsLast?: boolean;
  /** Makes the folders on the way (0755); default false. */
  makesParents?: boolean;
}

const mostLinks = 40;
const folderFlags = fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW | fs.constants.O_RDONLY;

/**
 * Walks a path from the session's root, one folder after the other, each opened in the one before
 * without following links. Links are followed here, with `/` and `..` never leading out of the root,
 * as in a chroot. 400 for what is no absolute path, and what the system says of each step.
 */
export function findPlace(root: string, path: string, options: PlaceOptions = {}): Place {
  const walk = new Walk(root, options);
  try {
    return walk.to(segmentsOf(path));
  } catch (error) {
    walk.close();
    throw error;
  }
}

class Walk {
  readonly #options: PlaceOptions;
  /** The folders from the root to here, open. */
  readonly #folders: number[] = [];
  #linksLeft = mostLinks;

  constructor(root: string, options: PlaceOptions) {
    this.#options = options;
    this.#folders.push(fs.openSync(root, folderFlags));
  }

  to(segments: readonly string[]): Place {
    const rest = [...segments];
    for (;;) {
      const name = rest.shift();
      if (name === undefined) return this.#place('');
      if (name === '..') {
        this.#up();
        continue;
      }
      const isLast = rest.length === 0;
      const isFollowed = !isLast || (this.#options.followsLast ?? true);
      const target = isFollowed ? this.#linkAt(name) : null;
      if (target !== null) {
        if (target.startsWith('/')) this.#toRoot();
        rest.unshift(...target.split('/').filter(isStep));
      } else if (isLast) {
        return this.#place(name);
      } else {
        this.#down(name);
      }
    }
  }

  close(): void {
    for (const fd of this.#folders.splice(0)) fs.closeSync(fd);
  }

  #linkAt(name: string): string | null {
    let target: string;
    try {
      target = fs.readlinkSync(this.#at(name));
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'EINVAL' || errno === 'ENOENT' || errno === 'ENOTDIR') return null;
      throw error;
    }
    if (this.#linksLeft-- === 0) throw new HttpProblem(400, 'too many links in the path');
    return target;
  }

  #down(name: string): void {
    try {
      this.#folders.push(fs.openSync(this.#at(name), folderFlags));
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || this.#options.makesParents !== true) throw error;
      fs.mkdirSync(this.#at(name), 0o755);
      this.#folders.push(fs.openSync(this.#at(name), folderFlags));
    }
  }

  #up(): void {
    if (this.#folders.length > 1) fs.closeSync(this.#folders.pop() ?? -1);
  }

  #toRoot(): void {
    while (this.#folders.length > 1) this.#up();
  }

  #at(name: string): string {
    return `/dev/fd/${this.#folders.at(-1)}/${name}`;
  }

  #place(name: string): Place {
    return { path: this.#at(name), name, [Symbol.dispose]: () => this.close() };
  }
}

function segmentsOf(path: string): string[] {
  if (path === '') throw new HttpProblem(400, 'path cannot be empty');
  if (!path.startsWith('/')) throw new HttpProblem(400, 'path must be absolute');
  if (path.includes('\0')) throw new HttpProblem(400, 'path must not hold a NUL');
  if (Buffer.byteLength(path) > 4_096) throw new HttpProblem(400, 'path is longer than 4096 bytes');
  return path.split('/').filter(isStep);
}

function isStep(segment: string): boolean {
  return segment !== '' && segment !== '.';
}
