import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../../model/errors.ts';

const lookAgainMs = 50;
const pieceBytes = 64 * 1024;
const longestLineBytes = 64 * 1024;

export interface FollowOptions {
  /** From the end on, and on and on; else from the start to the end. */
  follows: boolean;
  signal: AbortSignal;
}

/**
 * The lines of a file, without empty ones, each cut at 64 KiB. A file that becomes shorter is read
 * from its start again. The descriptor is closed at the end.
 */
export async function* fileLines(
  fd: number,
  { follows, signal }: FollowOptions,
): AsyncGenerator<string> {
  const piece = Buffer.alloc(pieceBytes);
  const lines = new LineCutter();
  try {
    for (let at = follows ? fs.fstatSync(fd).size : 0; !signal.aborted; ) {
      const length = fs.readSync(fd, piece, 0, pieceBytes, at);
      at += length;
      yield* lines.push(piece.subarray(0, length));
      if (length > 0) continue;
      if (!follows) {
        yield* lines.rest();
        return;
      }
      if (fs.fstatSync(fd).size < at) at = 0;
      else await pause(signal);
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** Bytes to lines; a line is text only when it is whole, as a character may be cut in two. */
class LineCutter {
  #kept: Buffer = Buffer.alloc(0);

  *push(bytes: Buffer): Generator<string> {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#keep(bytes.subarray(start, end));
      yield* this.rest();
      start = end + 1;
    }
    this.#keep(bytes.subarray(start));
  }

  *rest(): Generator<string> {
    const text = this.#kept.toString('utf8').replace(/\r$/, '');
    this.#kept = Buffer.alloc(0);
    if (text !== '') yield text;
  }

  #keep(bytes: Buffer): void {
    const room = longestLineBytes - this.#kept.length;
    if (bytes.length > 0 && room > 0) {
      this.#kept = Buffer.concat([this.#kept, bytes.subarray(0, room)]);
    }
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(lookAgainMs, undefined, { signal }).catch((error: unknown) => {
    if (errnoOf(error) !== 'ABORT_ERR') throw error;
  });
}
