import fs from 'node:fs';
import { errnoOf } from '../../src/model/errors.ts';

/** A kill as the raw line of the kernel's log states it. */
export interface KernelKill {
  pid: number;
  /** anon + file + shmem */
  rssBytes: number;
  /** The kernel's clock of the record, ms since boot. */
  kernelMs: number;
}

const killLine =
  /^\d+,\d+,(\d+),[^;]*;.*Killed process (\d+) \(.*anon-rss:(\d+)kB, file-rss:(\d+)kB, shmem-rss:(\d+)kB/;

/** The `Killed process` lines of /dev/kmsg, read without our collector. Needs root. */
export class KernelKills implements Disposable {
  readonly #fd = fs.openSync('/dev/kmsg', fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  readonly #buffer = Buffer.alloc(8_192);
  readonly #kills: KernelKill[] = [];

  /** All so far, oldest first. Call it now and then: the kernel overwrites its oldest records. */
  read(): readonly KernelKill[] {
    for (;;) {
      const record = this.#nextRecord();
      if (record === null) return this.#kills;
      const [, us, pid, ...sizes] = killLine.exec(record) ?? [];
      if (us === undefined) continue;
      const rssKb = sizes.reduce((sum, size) => sum + Number(size), 0);
      this.#kills.push({ pid: Number(pid), rssBytes: rssKb * 1024, kernelMs: Number(us) / 1000 });
    }
  }

  [Symbol.dispose](): void {
    fs.closeSync(this.#fd);
  }

  /** Null at the end of the log; empty where records were overwritten unread. */
  #nextRecord(): string | null {
    try {
      return this.#buffer.toString('latin1', 0, fs.readSync(this.#fd, this.#buffer));
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') return null;
      if (errnoOf(error) === 'EPIPE') return '';
      throw error;
    }
  }
}
