import type { KmsgCalls } from '../../../src/collector/kmsg/kmsg-file.ts';

/** What one read(2) of the fake gives: a record, or the errno it fails with. */
export type FakeRead = string | { errno: string };

/** A /dev/kmsg in memory: `reads` is taken from the front, and EAGAIN when it is empty. */
export class FakeKmsg {
  readonly reads: FakeRead[];
  readCount = 0;
  isOpen = false;
  readonly calls: KmsgCalls;

  constructor(reads: readonly FakeRead[], openErrno: string | null = null) {
    this.reads = [...reads];
    this.calls = {
      openSync: () => {
        if (openErrno !== null) throw systemError(openErrno);
        this.isOpen = true;
        return 3;
      },
      closeSync: () => {
        this.isOpen = false;
      },
      readSync: this.#read,
    };
  }

  #read = (_fd: number, buffer: NodeJS.ArrayBufferView): number => {
    this.readCount++;
    const next = this.reads.shift() ?? { errno: 'EAGAIN' };
    if (typeof next !== 'string') throw systemError(next.errno);
    return Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength).write(next, 'latin1');
  };
}

function systemError(errno: string): Error {
  return Object.assign(new Error(errno), { code: errno });
}
