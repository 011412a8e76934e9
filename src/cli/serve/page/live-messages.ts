import { HeadroomError } from '../../../model/errors.ts';
import type { LiveMessage } from '../../../report/page/page-data.ts';
import { openRecording } from '../../../store/reader.ts';
import type { HttpStream } from '../http-server.ts';
import type { Analyses } from './analyses.ts';
import type { FolderFile, RecordingFolder } from './recording-folder.ts';

interface Listener {
  /** Whose growth it wants to know; none: only the list. */
  names: readonly string[];
  send(message: LiveMessage): void;
}

const lookMs = 1_000;
// Well below the time after which an idle connection is closed.
const looksToBeat = 15;

/**
 * What changes, told to the pages that are open (server-sent events). While nobody listens nothing is
 * looked at; a file is looked at once a second, for however many pages.
 */
export class LiveMessages {
  readonly #folder: RecordingFolder;
  readonly #analyses: Analyses;
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | null = null;
  #stamps = new Map<string, string>();

  constructor(folder: RecordingFolder, analyses: Analyses) {
    this.#folder = folder;
    this.#analyses = analyses;
  }

  /** A stream for one page. */
  stream(names: readonly string[]): HttpStream {
    return {
      contentType: 'text/event-stream; charset=utf-8',
      open: (write) => {
        const listener: Listener = {
          names,
          send: (message) => write(`data: ${JSON.stringify(message)}\n\n`),
        };
        let looks = 0;
        const beat = setInterval(() => {
          looks++;
          if (looks % looksToBeat === 0) write(': \n\n');
        }, lookMs);
        // A proxy or a browser shows nothing of a stream before its first bytes.
        write(': \n\n');
        this.#listeners.add(listener);
        this.#timer ??= setInterval(() => this.#look(), lookMs);
        return () => {
          clearInterval(beat);
          this.#listeners.delete(listener);
          if (this.#listeners.size > 0 || this.#timer === null) return;
          clearInterval(this.#timer);
          this.#timer = null;
        };
      },
    };
  }

  tell(message: LiveMessage): void {
    for (const listener of this.#listeners) {
      if (message.kind === 'recordings' || listener.names.includes(message.name)) {
        listener.send(message);
      }
    }
  }

  #look(): void {
    const files = this.#folder.files();
    const followed = new Set([...this.#listeners].flatMap(({ names }) => names));
    const stamps = new Map<string, string>();
    for (const file of files.values()) {
      stamps.set(file.name, file.stamp);
      if (this.#stamps.get(file.name) === file.stamp) continue;
      // Asks for it; told when it is there.
      this.#analyses.listed(file);
      if (followed.has(file.name)) this.#tellGrowth(file);
    }
    this.#analyses.forgetOthers(new Set([...files.values()].map(({ path }) => path)));
    this.#stamps = stamps;
  }

  #tellGrowth(file: FolderFile): void {
    try {
      using recording = openRecording(file.path);
      const toUnixMs = recording.lastTick()?.timeUnixMs;
      if (toUnixMs === undefined) return;
      this.tell({ kind: 'grown', name: file.name, toUnixMs, isLive: recording.isLive });
    } catch (error) {
      // The list says of a file that it cannot be read.
      if (!(error instanceof HeadroomError)) throw error;
    }
  }
}
