import type { HttpAnswer } from '../http-server.ts';
import type { FolderFile } from './recording-folder.ts';

const mostKept = 8;

/**
 * The pictures of whole recordings, which a page asks for first: read once for each state of a file,
 * and for a file that will be asked for while the browser still gets the page ready.
 */
export class FirstPictures {
  readonly #read: (file: FolderFile) => HttpAnswer;
  readonly #kept = new Map<string, HttpAnswer>();

  constructor(read: (file: FolderFile) => HttpAnswer) {
    this.#read = read;
  }

  answer(file: FolderFile): HttpAnswer {
    const state = `${file.path} ${file.stamp}`;
    const kept = this.#kept.get(state);
    if (kept !== undefined) return kept;
    const answer = this.#read(file);
    if (answer.status !== 200) return answer;
    this.#kept.set(state, answer);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }

  /** When the answer that is being given is on its way; of the file that is found then, if any. */
  prepare(find: () => FolderFile | null): void {
    setImmediate(() => {
      try {
        const file = find();
        if (file !== null) this.answer(file);
      } catch (error) {
        // Told when it is asked for, and then to the page as well.
        if (!(error instanceof Error)) throw error;
      }
    });
  }
}
