import { Worker } from 'node:worker_threads';
import { expectedProblem } from '../problem-teller.ts';
import type { FolderFile } from './recording-folder.ts';

export type SizeAnswer = { report: string } | { problem: string };

const mostKept = 8;

/**
 * What `headroom size --json` says of these files. Read in a thread of its own, one question at a time,
 * each once for every state of the files, unless it failed: a thousand take half a minute.
 */
export class SizeAnswers {
  readonly #size: (paths: readonly string[]) => Promise<SizeAnswer>;
  readonly #kept = new Map<string, Promise<SizeAnswer>>();
  #last: Promise<unknown> = Promise.resolve();
  #worker: Worker | null = null;
  #isClosed = false;

  /** `size` reads the files; default: in a thread. */
  constructor(size?: (paths: readonly string[]) => Promise<SizeAnswer>) {
    this.#size = size ?? ((paths) => this.#inThread(paths));
  }

  answer(files: readonly FolderFile[]): Promise<SizeAnswer> {
    const question = files.map(({ path, stamp }) => `${path} ${stamp}`).join('\n');
    const kept = this.#kept.get(question);
    if (kept !== undefined) return kept;
    const paths = files.map(({ path }) => path);
    const answer = this.#last.then(() => this.#ask(paths));
    this.#kept.set(question, answer);
    // What failed is asked again, and keeps no other question from being asked.
    const forget = () => this.#kept.delete(question);
    this.#last = answer.then((given) => 'problem' in given && forget(), forget);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  async #ask(paths: readonly string[]): Promise<SizeAnswer> {
    // Those that still wait when the server ends would keep it from ending.
    if (this.#isClosed) return { problem: 'the server ends' };
    return await this.#size(paths);
  }

  async #inThread(paths: readonly string[]): Promise<SizeAnswer> {
    // Emitted beside this file; a thread has to be given a file, not a module.
    const worker = new Worker(new URL('./size-worker.js', import.meta.url), { workerData: paths });
    this.#worker = worker;
    return await new Promise((resolve) => {
      worker.once('message', (report: string) => resolve({ report }));
      worker.once('error', (error: Error) =>
        resolve({ problem: expectedProblem(error) ?? error.message }),
      );
      worker.once('exit', (code) => resolve({ problem: `the thread ended with ${code}` }));
    });
  }
}
