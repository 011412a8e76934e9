import { Worker } from 'node:worker_threads';
import type { ListedRecording, RecordingSummary } from '../../../report/page/page-data.ts';
import { expectedProblem } from '../problem-teller.ts';
import type { FolderFile } from './recording-folder.ts';

export interface AnalysisJob {
  path: string;
  /** Whether the report itself is wanted, which may be megabytes. */
  wants: 'report' | 'summary';
}

export type Analysed = { summary: RecordingSummary; report: string | null } | { problem: string };

interface Known {
  stamp: string;
  listed: ListedRecording;
  /** Not before this a file that goes on growing is looked at again. */
  nextMs: number;
}

interface Waiting {
  file: FolderFile;
  done: ((analysed: Analysed) => void)[];
}

interface Working extends Waiting {
  wants: AnalysisJob['wants'];
}

export interface AnalysesOptions {
  /** Something of a file that was not known, or is another now. */
  onChange(recording: ListedRecording): void;
  /** Why a file cannot be read; default: told in the list alone. */
  onProblem?(problem: string): void;
  monotonicMs?: () => number;
  /** How long nothing is read after a list was asked for, ms: first it has to be seen; default: not. */
  restMs?: number;
  /** Reads one file; default: in a thread of its own, started when the first is asked for. */
  analyse?: (job: AnalysisJob) => Promise<Analysed>;
}

// So that a long recording that grows keeps the thread busy for a twentieth of the time.
const shortestPauseMs = 10_000;
const pausePerWork = 20;
// Reports of long recordings are megabytes.
const mostReports = 8;

/** What an analysis says of each file: one at a time, each once for every state of the file. */
export class Analyses {
  readonly #options: AnalysesOptions;
  readonly #monotonicMs: () => number;
  readonly #known = new Map<string, Known>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #reports = new Map<string, string>();
  #worker: AnalysisThread | null = null;
  #working: Working | null = null;
  #rest: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: AnalysesOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  /** What is known now; what is not, or is old, is asked for and told by `onChange`. */
  listed(file: FolderFile): ListedRecording {
    const known = this.#known.get(file.path);
    const isOld =
      known === undefined || (known.stamp !== file.stamp && this.#monotonicMs() >= known.nextMs);
    if (isOld) this.#ask(file);
    return known?.listed ?? { name: file.name, summary: null, problem: null };
  }

  /** The report of a file as JSON; null when it cannot be read. Goes before the summaries of others. */
  async report(file: FolderFile): Promise<string | null> {
    const known = this.#known.get(file.path);
    const isFresh =
      known !== undefined && (known.stamp === file.stamp || this.#monotonicMs() < known.nextMs);
    const kept = this.#reports.get(file.path);
    if (isFresh && kept !== undefined) return kept;
    const analysed = await new Promise<Analysed>((resolve) => {
      this.#ask(file, resolve);
    });
    return 'report' in analysed ? analysed.report : null;
  }

  /** Of files that are gone nothing is kept. */
  forgetOthers(paths: ReadonlySet<string>): void {
    for (const path of this.#known.keys()) if (!paths.has(path)) this.#known.delete(path);
    for (const path of this.#reports.keys()) if (!paths.has(path)) this.#reports.delete(path);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    if (this.#rest !== null) clearTimeout(this.#rest);
    await this.#worker?.close();
  }

  #ask(file: FolderFile, done?: (analysed: Analysed) => void): void {
    const working = this.#working;
    const isBeingRead = working?.file.path === file.path && working.file.stamp === file.stamp;
    if (isBeingRead && done === undefined) return;
    if (isBeingRead && done !== undefined && working.wants === 'report') {
      working.done.push(done);
      return;
    }
    const waiting = this.#waiting.get(file.path) ?? { file, done: [] };
    waiting.file = file;
    if (done !== undefined) waiting.done.push(done);
    this.#waiting.set(file.path, waiting);
    const { restMs } = this.#options;
    if (done !== undefined || restMs === undefined) void this.#work();
    else this.#rest ??= setTimeout(() => this.#goOn(), restMs);
  }

  #goOn(): void {
    this.#rest = null;
    void this.#work();
  }

  async #work(): Promise<void> {
    if (this.#working !== null) return;
    for (let next = this.#next(); next !== null && !this.#isClosed; next = this.#next()) {
      this.#waiting.delete(next.file.path);
      this.#working = { ...next, wants: next.done.length > 0 ? 'report' : 'summary' };
      await this.#analyse(this.#working);
      this.#working = null;
    }
  }

  #next(): Waiting | null {
    const all = [...this.#waiting.values()];
    const isWanted = all.find(({ done }) => done.length > 0);
    if (isWanted !== undefined || all.length === 0) return isWanted ?? null;
    // The small ones first: most of the list is there soon.
    return all.reduce((least, next) => (next.file.bytes < least.file.bytes ? next : least));
  }

  async #analyse({ file, done, wants }: Working): Promise<void> {
    const startMs = this.#monotonicMs();
    const analysed = await this.#read({ path: file.path, wants });
    const endMs = this.#monotonicMs();
    const pauseMs = Math.max(shortestPauseMs, pausePerWork * (endMs - startMs));
    const listed = listedOf(file, analysed);
    this.#known.set(file.path, { stamp: file.stamp, listed, nextMs: endMs + pauseMs });
    this.#reports.delete(file.path);
    if ('report' in analysed && analysed.report !== null) {
      this.#keepReport(file.path, analysed.report);
    }
    this.#options.onChange(listed);
    if ('problem' in analysed) this.#options.onProblem?.(analysed.problem);
    for (const tell of done) tell(analysed);
  }

  async #read(job: AnalysisJob): Promise<Analysed> {
    if (this.#options.analyse !== undefined) return await this.#options.analyse(job);
    this.#worker ??= new AnalysisThread();
    return await this.#worker.analyse(job);
  }

  #keepReport(path: string, report: string): void {
    this.#reports.set(path, report);
    const [oldest] = this.#reports.keys();
    if (this.#reports.size > mostReports && oldest !== undefined) this.#reports.delete(oldest);
  }
}

function listedOf({ name }: FolderFile, analysed: Analysed): ListedRecording {
  return 'summary' in analysed
    ? { name, summary: analysed.summary, problem: null }
    : { name, summary: null, problem: analysed.problem };
}

/** One job at a time. A thread that dies of a file takes nothing with it. */
class AnalysisThread {
  #worker: Worker | null = null;

  analyse(job: AnalysisJob): Promise<Analysed> {
    // Emitted beside this file; a thread has to be given a file, not a module.
    this.#worker ??= new Worker(new URL('./analysis-worker.js', import.meta.url));
    const worker = this.#worker;
    return new Promise((resolve) => {
      const failed = (error: Error | number) => {
        this.#worker = null;
        const text = error instanceof Error ? error.message : `the thread ended with ${error}`;
        const problem = expectedProblem(error) ?? `it could not be read: ${text} [INTERNAL]`;
        settle({ problem });
      };
      const settle = (analysed: Analysed) => {
        // Not all of its listeners: some are its own.
        worker.off('message', settle).off('error', failed).off('exit', failed);
        resolve(analysed);
      };
      worker.on('message', settle).on('error', failed).on('exit', failed);
      worker.postMessage(job);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }
}
