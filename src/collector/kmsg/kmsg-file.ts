import fs from 'node:fs';
import { errnoOf } from '../../model/errors.ts';

export interface KmsgCalls {
  openSync(path: string, flags: number): number;
  readSync(fd: number, buffer: Buffer, offset: number, length: number, position: null): number;
  closeSync(fd: number): void;
}

/**
 * `record`: {@link KmsgFile.text} holds the next one. `end`: nothing more now. `overrun`: records
 * were overwritten unread, the next one is the oldest. `oversize`: a record did not fit.
 */
export type KmsgStep = 'record' | 'end' | 'overrun' | 'oversize';

/** The longest record (CONSOLE_EXT_LOG_MAX in the kernel's printk). */
const bufferBytes = 8_192;
const largestBufferBytes = 65_536;

/**
 * /dev/kmsg, opened at its oldest record and read without waiting: one read(2) is one record
 * (Documentation/ABI/testing/dev-kmsg). The end of the log is an error that Node makes and throws:
 * measured 8 to 13 µs and about 100 bytes a time.
 */
export class KmsgFile {
  /** The last record, one character a byte. */
  text = '';
  readonly #calls: KmsgCalls;
  #fd: number | null = null;
  #unavailable: string | null = null;
  #buffer = Buffer.allocUnsafe(bufferBytes);

  constructor(path: string, calls: KmsgCalls) {
    this.#calls = calls;
    try {
      this.#fd = calls.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Why there is nothing to read (`EACCES`, `EPERM`, `ENOENT` …); null while there is. */
  get unavailable(): string | null {
    return this.#unavailable;
  }

  next(): KmsgStep {
    if (this.#fd === null) return 'end';
    try {
      const length = this.#calls.readSync(this.#fd, this.#buffer, 0, this.#buffer.length, null);
      // A kernel log has no end of file: some containers put /dev/null in its place.
      if (length === 0) return this.#stop('end of file');
      this.text = this.#buffer.toString('latin1', 0, length);
      return 'record';
    } catch (error) {
      return this.#stepOf(error);
    }
  }

  close(): void {
    if (this.#fd !== null) this.#calls.closeSync(this.#fd);
    this.#fd = null;
  }

  #stepOf(error: unknown): KmsgStep {
    switch (errnoOf(error)) {
      case 'EAGAIN':
        return 'end';
      case 'EPIPE':
        return 'overrun';
      case 'EINVAL':
        // The kernel has gone past the record that did not fit; the next such one shall.
        if (this.#buffer.length >= largestBufferBytes) return this.#giveUp(error);
        this.#buffer = Buffer.allocUnsafe(this.#buffer.length * 2);
        return 'oversize';
      default:
        return this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): KmsgStep {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    return this.#stop(errno);
  }

  #stop(reason: string): KmsgStep {
    this.#unavailable = reason;
    this.close();
    return 'end';
  }
}
