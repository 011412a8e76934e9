import fs from 'node:fs';
import { errnoOf } from '../../model/errors.ts';
import { Waiters } from '../waiters.ts';
import type { OutputChannel, OutputFrame, ProcessEnd } from './frame.ts';

const headerBytes = 5;
/** Of one process; one that writes more is stopped in its next write. */
const usualLimitBytes = 2 * 2 ** 30;

/**
 * All that a process has written, in a file of the session: each reader begins at the start, takes
 * its time, and misses nothing. One record is `stream, length (4 bytes, big endian), bytes`.
 */
export class OutputLog implements OutputChannel {
  readonly #fd: number;
  readonly #limitBytes: number;
  #length = 0;
  #end: ProcessEnd | null = null;
  #isClosed = false;
  #isBroken = false;
  readonly #waiters = new Waiters();

  constructor(file: string, limitBytes = usualLimitBytes) {
    this.#limitBytes = limitBytes;
    this.#fd = fs.openSync(file, 'wx+', 0o600);
  }

  push({ stream, data }: OutputFrame): boolean {
    if (this.#isClosed) return true;
    if (this.#isBroken) return false;
    const header = Buffer.alloc(headerBytes);
    header.writeUInt8(stream === 'stdout' ? 1 : 2);
    header.writeUInt32BE(data.length, 1);
    const record = Buffer.concat([header, data]);
    try {
      fs.writeSync(this.#fd, record, 0, record.length, this.#length);
    } catch (error) {
      if (errnoOf(error) === null) throw error;
      // A full disk: from here on nobody knows, and no end is told.
      this.#isBroken = true;
      this.#waiters.wake();
      return false;
    }
    this.#length += record.length;
    this.#waiters.wake();
    return this.#length < this.#limitBytes;
  }

  onDrain(): void {
    // What is kept is not taken away by reading it.
  }

  end(end: ProcessEnd): void {
    this.#end = end;
    this.#waiters.wake();
  }

  async *read(signal: AbortSignal): AsyncGenerator<OutputFrame | ProcessEnd> {
    for (let at = 0; !signal.aborted && !this.#isClosed; ) {
      if (at < this.#length) {
        const frame = this.#frameAt(at);
        at += headerBytes + frame.data.length;
        yield frame;
      } else if (this.#isBroken) {
        return;
      } else if (this.#end !== null) {
        yield this.#end;
        return;
      } else {
        await this.#waiters.more(signal);
      }
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    fs.closeSync(this.#fd);
    this.#waiters.wake();
  }

  #frameAt(at: number): OutputFrame {
    const header = Buffer.alloc(headerBytes);
    fs.readSync(this.#fd, header, 0, headerBytes, at);
    const data = Buffer.alloc(header.readUInt32BE(1));
    fs.readSync(this.#fd, data, 0, data.length, at + headerBytes);
    return { stream: header.readUInt8() === 1 ? 'stdout' : 'stderr', data };
  }
}
