import util from 'node:util';

/** One end of a process as the helper tells it. */
export interface ReportedExit {
  pid: number;
  waitStatus: number;
  /** The kernel's CLOCK_MONOTONIC, which is also the clock of the samples. */
  kernelMs: number;
}

export interface ExitCounters {
  /** How often the kernel dropped messages, each time one or more. */
  overruns: number;
  /** Ends that came in faster than they were drained. */
  dropped: number;
  /** Lines that are none of the helper's. */
  malformed: number;
}

const longestLine = 256;
const mostQueued = 8192;

/** Takes the helper's stdout in pieces; keeps what it told, in bounded memory, until drained. */
export class HelperOutput {
  readonly counters: ExitCounters = { overruns: 0, dropped: 0, malformed: 0 };
  /** What the helper could not do (`bind: EPERM` …); null while it told nothing of the kind. */
  failure: string | null = null;
  /** From now on every end is told. */
  isReady = false;
  #exits: ReportedExit[] = [];
  #rest = '';

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
    if (this.#rest.length <= longestLine) return;
    this.#rest = '';
    this.counters.malformed++;
  }

  /** What was told since the last call, oldest first. */
  drain(): ReportedExit[] {
    const exits = this.#exits;
    if (exits.length > 0) this.#exits = [];
    return exits;
  }

  #take(line: string): void {
    const exit = parseExit(line);
    if (exit !== null) {
      if (this.#exits.length < mostQueued) this.#exits.push(exit);
      else this.counters.dropped++;
    } else if (line === 'overrun') {
      this.counters.overruns++;
    } else if (line === 'ready') {
      this.isReady = true;
    } else {
      const failure = parseFailure(line);
      if (failure === null) this.counters.malformed++;
      else this.failure ??= failure;
    }
  }
}

// Made once: without its compiler V8 makes a literal anew each time.
const exitLine = /^exit (\d{1,7}) (\d{1,10}) (\d{1,19})$/;
const failureLine = /^failed ([a-z]{1,16}) (\d{1,4})$/;

function parseExit(line: string): ReportedExit | null {
  const [, pid, status, ns] = exitLine.exec(line) ?? [];
  if (pid === undefined) return null;
  return { pid: Number(pid), waitStatus: Number(status), kernelMs: Number(ns) / 1e6 };
}

function parseFailure(line: string): string | null {
  const [, step, errno] = failureLine.exec(line) ?? [];
  if (step === undefined) return null;
  return Number(errno) === 0 ? step : `${step}: ${util.getSystemErrorName(-Number(errno))}`;
}
