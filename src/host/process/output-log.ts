import fs from 'node:fs';
import type { OutputChannel, OutputFrame, ProcessEnd } from './frame.ts';

const headerBytes = 5;

/**
 * All that a process has written, in a file of the session: each reader begins at the start, takes
 * its time, and misses nothing. One record is `stream, length (4 bytes, big endian), bytes`.
 */
export class OutputLog implements OutputChannel {
  readonly #fd: number;
  #length = 0;
  #end: ProcessEnd | null = null;
  #isClosed = false;
  readonly #waiting = new Set<() => void>();

  constructor(file: string) {
    this.#fd = fs.openSync(file, 'wx+', 0o600);
  }

  push({ stream, data }: OutputFrame): boolean {
    if (this.#isClosed) return true;
    const header = Buffer.alloc(headerBytes);
    header.writeUInt8(stream === 'stdout' ? 1 : 2);
    header.writeUInt32BE(data.length, 1);
    const record = Buffer.concat([header, data]);
    fs.writeSync(this.#fd, record, 0, record.length, this.#length);
    this.#length += record.length;
    this.#wake();
    return true;
  }

  onDrain(): void {
    // It takes all there is.
  }

  end(end: ProcessEnd): void {
    this.#end = end;
    this.#wake();
  }

  async *read(signal: AbortSignal): AsyncGenerator<OutputFrame | ProcessEnd> {
    for (let at = 0; !signal.aborted && !this.#isClosed; ) {
      if (at < this.#length) {
        const frame = this.#frameAt(at);
        at += headerBytes + frame.data.length;
        yield frame;
      } else if (this.#end !== null) {
        yield this.#end;
        return;
      } else {
        await this.#more(signal);
      }
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    fs.closeSync(this.#fd);
    this.#wake();
  }

  #frameAt(at: number): OutputFrame {
    const header = Buffer.alloc(headerBytes);
    fs.readSync(this.#fd, header, 0, headerBytes, at);
    const data = Buffer.alloc(header.readUInt32BE(1));
    fs.readSync(this.#fd, data, 0, data.length, at + headerBytes);
    return { stream: header.readUInt8() === 1 ? 'stdout' : 'stderr', data };
  }

  #more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        this.#waiting.delete(go);
        signal.removeEventListener('abort', go);
        resolve();
      };
      this.#waiting.add(go);
      signal.addEventListener('abort', go, { once: true });
    });
  }

  #wake(): void {
    for (const go of [...this.#waiting]) go();
  }
}
