import { pageEvents } from '../collector/pages/page-events.ts';
import { PageLines } from '../collector/pages/page-lines.ts';
import type { EventSource } from '../collector/recorder.ts';
import type { CommandIo } from './command.ts';
import { Companion } from './companion.ts';
import type { RecordOptions } from './record-options.ts';

/** The watcher of pages beside the recorder, and what it has told. */
export class PageCompanion {
  readonly #lines = new PageLines();
  #companion: Companion | null = null;

  /** What it tells, for the recorder. */
  get sources(): EventSource[] {
    return [pageEvents(this.#lines)];
  }

  /** `commandPid`: of the command that is recorded; only its browsers are the session's. */
  start(options: RecordOptions, commandPid: number | null, io: CommandIo): void {
    const { pages, rootPid } = options;
    if (pages === null) return;
    const belowPid = commandPid ?? rootPid;
    this.#companion = Companion.start(
      [
        ...['pages', '--json', '--while-read', '--cdp', pages.address ?? 'auto'],
        ...(pages.isWhole ? ['--page-urls'] : []),
        ...(belowPid === null ? [] : ['--pid', `${belowPid}`]),
      ],
      { io, what: 'the watcher of pages', onOutput: (text) => this.#lines.push(text) },
    );
  }

  async finish(hurry: AbortSignal): Promise<void> {
    this.#companion?.end();
    await this.#companion?.wait(hurry);
  }
}
