import fs from 'node:fs';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

/** What is found below a folder. `path` is good until the walk goes on; `name` is from the folder. */
export interface WalkEntry {
  path: string;
  name: string;
  kind: 'file' | 'folder' | 'other';
}

/**
 * Everything below an open folder, a folder before what is in it or after it. Each folder is opened
 * in the one before and links are not followed: what is moved meanwhile leads nowhere else.
 */
export function* walkFolder(
  fd: number,
  order: 'folder_first' | 'folder_last',
  prefix = '',
): Generator<WalkEntry> {
  for (const child of fs.readdirSync(`/dev/fd/${fd}`).sort()) {
    const path = `/dev/fd/${fd}/${child}`;
    const name = prefix + child;
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (!stats.isDirectory()) {
      yield { path, name, kind: stats.isFile() ? 'file' : 'other' };
      continue;
    }
    const entry: WalkEntry = { path, name, kind: 'folder' };
    if (order === 'folder_first') yield entry;
    const below = openFolder(path);
    try {
      yield* walkFolder(below, order, `${name}/`);
    } finally {
      fs.closeSync(below);
    }
    if (order === 'folder_last') yield entry;
  }
}

/** Opens a folder, not through a link. */
export function openFolder(path: string): number {
  return fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** Opens a file to be read, not through a link and without waiting for the other end of a pipe. */
export function openFile(path: string): number {
  return fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}
