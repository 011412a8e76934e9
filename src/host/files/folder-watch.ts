import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { HttpProblem } from '../http/problem.ts';
import type { SessionFiles } from './session-files.ts';

export interface WatchEvent {
  type: 'CREATE' | 'WRITE' | 'DELETE' | 'RENAME';
  path: string;
  name: string;
  is_dir: boolean;
}

const mostWatches = 64;
const mostWaiting = 10_000;

/** The folders of one session that its clients watch. */
export class FolderWatches {
  readonly #files: SessionFiles;
  readonly #watches = new Map<string, FolderWatch>();

  constructor(files: SessionFiles) {
    this.#files = files;
  }

  /** Begins at once; gives the id to ask for the events with. 404 where there is no folder. */
  start(folderPath: string, isRecursive: boolean): string {
    if (this.#watches.size >= mostWatches) throw new HttpProblem(400, 'too many watches');
    const id = randomUUID();
    this.#watches.set(id, new FolderWatch(this.#files, folderPath, isRecursive));
    return id;
  }

  find(id: string): FolderWatch {
    const watch = this.#watches.get(id);
    if (watch === undefined) throw new HttpProblem(404, 'watch not found');
    return watch;
  }

  stop(id: string): void {
    this.find(id).close();
    this.#watches.delete(id);
  }

  close(): void {
    for (const id of [...this.#watches.keys()]) this.stop(id);
  }
}

/** The changes in one folder; they wait for one reader. */
class FolderWatch {
  readonly #fd: number;
  readonly #folderPath: string;
  readonly #watcher: fs.FSWatcher;
  readonly #known: Set<string>;
  readonly #events: WatchEvent[] = [];
  #wake: (() => void) | null = null;
  #isClosed = false;

  constructor(files: SessionFiles, folderPath: string, isRecursive: boolean) {
    this.#fd = files.openFolder(folderPath);
    this.#folderPath = folderPath;
    this.#known = new Set(fs.readdirSync(`/dev/fd/${this.#fd}`));
    this.#watcher = fs.watch(`/dev/fd/${this.#fd}/.`, { recursive: isRecursive });
    this.#watcher.on('change', (kind, name) => this.#changed(kind, String(name)));
    this.#watcher.on('error', () => this.close());
  }

  async *read(signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const wake = () => this.#wake?.();
    signal.addEventListener('abort', wake);
    while (!signal.aborted) {
      const event = this.#events.shift();
      if (event !== undefined) yield event;
      else if (this.#isClosed) break;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    signal.removeEventListener('abort', wake);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#watcher.close();
    fs.closeSync(this.#fd);
    this.#wake?.();
  }

  #changed(kind: string, name: string): void {
    if (this.#isClosed || this.#events.length >= mostWaiting) return;
    const stats = fs.lstatSync(`/dev/fd/${this.#fd}/${name}`, { throwIfNoEntry: false });
    const isNew = !this.#known.has(name);
    if (stats === undefined) this.#known.delete(name);
    else this.#known.add(name);
    // The system says "renamed" of all that came or went.
    const arrival = isNew ? 'CREATE' : 'RENAME';
    const type = stats === undefined ? 'DELETE' : kind === 'change' ? 'WRITE' : arrival;
    this.#events.push({
      type,
      path: path.posix.join(this.#folderPath, name),
      name: path.posix.basename(name),
      is_dir: stats?.isDirectory() ?? false,
    });
    this.#wake?.();
  }
}
