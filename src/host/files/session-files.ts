import fs from 'node:fs';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HttpProblem } from '../http/problem.ts';
import type { SessionFolder } from '../session-folder.ts';
import { type FileInfo, fileInfo } from './file-info.ts';
import { openFile, openFolder, walkFolder } from './folder-walk.ts';
import { findPlace, type Place, type PlaceOptions } from './place.ts';

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = fs.constants;

/** Of one file that a client writes. */
export const largestFileBytes = 8 * 2 ** 30;

/** The files of one session, by the paths of its clients. Nothing outside of its folder is touched. */
export class SessionFiles {
  readonly #folder: SessionFolder;

  constructor(folder: SessionFolder) {
    this.#folder = folder;
  }

  /** On the same file system, and not seen by the session: for what is only half there. */
  get hostFolder(): string {
    return this.#folder.path;
  }

  /** Opens a file to be read; 404, and 400 for what is no regular file. */
  openForReading(filePath: string): { fd: number; stats: fs.Stats } {
    using place = this.place(filePath);
    const fd = openFile(place.path);
    const stats = fs.fstatSync(fd);
    if (stats.isFile()) return { fd, stats };
    fs.closeSync(fd);
    throw new HttpProblem(400, stats.isDirectory() ? 'is a directory' : 'not a regular file');
  }

  /** Writes a file, which is made with its folders where it is not there. */
  async write(
    filePath: string,
    content: AsyncIterable<Buffer> | NodeJS.ReadableStream,
    mode: number,
  ): Promise<void> {
    const fd = this.#openForWriting(filePath, mode);
    const stream = fs.createWriteStream('', { fd });
    await pipeline(content, limited(largestFileBytes), stream);
  }

  writeWhole(filePath: string, content: Uint8Array): void {
    const fd = this.#openForWriting(filePath, 0o644);
    try {
      fs.writeFileSync(fd, content);
    } finally {
      fs.closeSync(fd);
    }
  }

  list(folderPath: string): FileInfo[] {
    using place = this.place(folderPath);
    const fd = openFolder(place.path);
    try {
      return fs.readdirSync(`/dev/fd/${fd}`).flatMap((name) => {
        const stats = fs.lstatSync(`/dev/fd/${fd}/${name}`, { throwIfNoEntry: false });
        return stats === undefined ? [] : fileInfo(stats, name, path.posix.join(folderPath, name));
      });
    } finally {
      fs.closeSync(fd);
    }
  }

  info(filePath: string): FileInfo {
    using place = this.place(filePath);
    const name = place.name === '' ? '/' : path.posix.basename(filePath);
    return fileInfo(fs.lstatSync(place.path), name, path.posix.normalize(filePath));
  }

  /** Removes a file or a link, not a folder. */
  deleteFile(filePath: string): void {
    using place = this.place(filePath, { followsLast: false });
    fs.unlinkSync(place.path);
  }

  /** Makes a folder and those on the way to it; one that is there is left as it is. */
  createFolder(folderPath: string, mode: number): void {
    using place = this.place(folderPath, { makesParents: true });
    const stats = fs.lstatSync(place.path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return;
    fs.mkdirSync(place.path);
    // Whatever the umask of the host.
    fs.chmodSync(place.path, mode);
  }

  /** Removes a folder with all that is in it. */
  deleteFolder(folderPath: string): void {
    using place = this.place(folderPath, { followsLast: false });
    if (place.name === '') throw new HttpProblem(400, 'the root cannot be deleted');
    const fd = openFolder(place.path);
    try {
      for (const { path: each, kind } of walkFolder(fd, 'folder_last')) {
        if (kind === 'folder') fs.rmdirSync(each);
        else fs.unlinkSync(each);
      }
    } finally {
      fs.closeSync(fd);
    }
    fs.rmdirSync(place.path);
  }

  /** Renames; a file that is at the new name is replaced. */
  move(from: string, to: string): void {
    using source = this.place(from, { followsLast: false });
    using target = this.place(to, { followsLast: false });
    if (source.name === '' || target.name === '') {
      throw new HttpProblem(400, 'the root cannot be moved');
    }
    fs.renameSync(source.path, target.path);
  }

  /** Takes a file of the host's own into the session. */
  adopt(file: string, filePath: string): void {
    using target = this.place(filePath, { followsLast: false, makesParents: true });
    if (target.name === '') throw new HttpProblem(400, 'is a directory');
    fs.renameSync(file, target.path);
  }

  setPermissions(filePath: string, mode: number, owner: { uid: number; gid: number } | null): void {
    using place = this.place(filePath);
    const fd = openFile(place.path);
    try {
      // First: a change of the owner takes setuid bits away.
      if (owner !== null) fs.fchownSync(fd, owner.uid, owner.gid);
      fs.fchmodSync(fd, mode);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** An open folder, to be closed. */
  openFolder(folderPath: string): number {
    using place = this.place(folderPath);
    return openFolder(place.path);
  }

  place(filePath: string, options: PlaceOptions = {}): Place {
    return findPlace(this.#folder.root, this.#folder.belowRoot(filePath), options);
  }

  #openForWriting(filePath: string, mode: number): number {
    using place = this.place(filePath, { makesParents: true });
    if (place.name === '') throw new HttpProblem(400, 'is a directory');
    // Without O_NONBLOCK a pipe without a reader would stop the whole host.
    const flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;
    const fd = fs.openSync(place.path, flags, mode);
    if (fs.fstatSync(fd).isFile()) return fd;
    fs.closeSync(fd);
    throw new HttpProblem(400, 'not a regular file');
  }
}

function limited(limitBytes: number): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length <= limitBytes) done(null, chunk);
      else done(new HttpProblem(413, `the file is larger than ${limitBytes} bytes`));
    },
  });
}
