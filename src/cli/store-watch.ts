import { existsSync } from 'node:fs';
import type { ErrorCode } from '../model/errors.ts';
import { printable } from '../report/printable.ts';
import { shellQuote } from '../report/shell-quote.ts';
import type { CloseResult, WriteResult } from '../store/writer.ts';
import type { CommandIo } from './command.ts';

/** Tells once when the file cannot be written, and once when it can again. */
export class StoreWatch {
  readonly #stream: CommandIo['stderr'];
  readonly #out: string;
  #deferred = false;

  constructor(io: CommandIo, out: string) {
    this.#stream = io.stderr;
    this.#out = out;
  }

  tell(result: WriteResult): void {
    const isDeferred = result.outcome === 'deferred';
    if (isDeferred === this.#deferred) return;
    this.#deferred = isDeferred;
    if (isDeferred) {
      this.#stream.write(
        `cannot write ${printable(this.#out)}: ${result.message}; samples are kept in memory, as far as there is room${codeOf(result)}\n`,
      );
    } else {
      this.#stream.write(`${printable(this.#out)} can be written again\n`);
    }
  }

  /** The last word: false when not all samples are in the file. */
  end(result: CloseResult, writtenCount: number): boolean {
    if (result.outcome === 'moved') {
      const { path, missingCount } = result;
      const what = missingCount > 0 ? `all but ${missingCount} samples are` : 'everything is';
      this.#stream.write(
        `${printable(this.#out)} was moved while it was recorded: ${what} in ${printable(path)} [FILE_NOT_WRITABLE]\n`,
      );
      return false;
    }
    if (result.outcome === 'in_log') {
      this.#stream.write(inLogWords(this.#out, result));
      return false;
    }
    if (result.outcome !== 'deferred') return true;
    const missing = result.pendingCount + result.lostCount;
    this.#stream.write(
      `NOT everything is in ${printable(this.#out)}: ${result.message}; ${writtenCount} samples are there${missing > 0 ? `, ${missing} are not` : ''}${codeOf(result)}\n`,
    );
    const log = `${this.#out}-wal`;
    if (!existsSync(this.#out) && existsSync(log)) this.#stream.write(logWords(log));
    return false;
  }
}

/** A move to another disk is a copy, without what SQLite had not yet written into the file itself. */
function logWords(log: string): string {
  return `the newest samples are in ${printable(log)}: if the file was moved, move that beside it (mv ${shellQuote(log)} NEWNAME-wal), so that both are read; else remove it\n`;
}

function inLogWords(out: string, result: CloseResult & { outcome: 'in_log' }): string {
  const { path, log, missingCount } = result;
  const lost = missingCount > 0 ? `, and ${missingCount} samples are nowhere` : '';
  if (path === null) {
    return `NOT everything is in ${printable(out)}: the file was removed or moved while it was recorded${lost} [FILE_NOT_WRITABLE]\n${logWords(log)}`;
  }
  const [name, copies] = [
    printable(path),
    `cp ${shellQuote(path)} COPY && cp ${shellQuote(log)} COPY-wal`,
  ];
  return `NOT everything is in ${name}: ${printable(out)} was moved there while it was recorded, and its log ${printable(log)}, with the newest samples, cannot be put beside it: another program has made ${name}-wal, or it is another disk${lost} [FILE_NOT_WRITABLE]\nto read both: ${copies} && headroom verify COPY\n`;
}

/** As behind any message, where it is one of docs/errors.md. */
function codeOf({ reason }: { reason: 'busy' | 'full' | 'failed' }): string {
  const codes = { busy: 'STORE_BUSY', full: 'STORE_FULL', failed: 'FILE_NOT_WRITABLE' } as const;
  return ` [${codes[reason] satisfies ErrorCode}]`;
}
