import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { errnoOf } from '../../model/errors.ts';
import { exitHelperScript } from './exit-helper.ts';
import { type ExitCounters, HelperOutput } from './helper-output.ts';
import { decodeWaitStatus, type ProcessEnd } from './wait-status.ts';

/** The end of a process, ours or not, as the kernel tells it. */
export interface ExitNotice extends ProcessEnd {
  pid: number;
  timeUnixMs: number;
  /** The same moment on the monotonic clock. */
  monotonicMs: number;
}

export interface ExitWatcherOptions {
  /** The perl that runs the helper; nothing but perl-base is needed. */
  perlPath?: string;
  /** What it runs. */
  script?: string;
}

/**
 * Hears how every process of the machine ends, from a helper process that listens to the kernel's
 * process connector. Where that is not possible {@link ExitWatcher.unavailableReason} says why;
 * nothing here throws. The helper ends with us, however we end, and keeps no event loop alive.
 */
export class ExitWatcher {
  readonly #output = new HelperOutput();
  readonly #perlPath: string;
  #child: ChildProcess | null = null;
  #ended: string | null = null;

  private constructor(perlPath: string) {
    this.#perlPath = perlPath;
  }

  static start(options: ExitWatcherOptions = {}): ExitWatcher {
    const { perlPath = '/usr/bin/perl', script = exitHelperScript } = options;
    const watcher = new ExitWatcher(perlPath);
    watcher.#spawn(script);
    return watcher;
  }

  /** Why ends are not told, or not any more; null while they are, and while the helper starts. */
  get unavailableReason(): string | null {
    const { failure } = this.#output;
    if (failure === null) return this.#ended;
    const explanation = explanations[failure];
    return explanation === undefined ? failure : `${failure} (${explanation})`;
  }

  /** Every end is told from now on; false while the helper starts, and where it cannot. */
  get isReady(): boolean {
    return this.#output.isReady && this.unavailableReason === null;
  }

  /** What was lost since the start. */
  get counters(): Readonly<ExitCounters> {
    return this.#output.counters;
  }

  /** Ends told since the last call, oldest first. The arguments are the two clocks at this call. */
  drain(nowMonotonicMs: number, nowUnixMs: number): ExitNotice[] {
    return this.#output.drain().map(({ pid, waitStatus, kernelMs }) => ({
      pid,
      ...decodeWaitStatus(waitStatus),
      timeUnixMs: nowUnixMs - (nowMonotonicMs - kernelMs),
      monotonicMs: kernelMs,
    }));
  }

  /** Asks for what the helper may have gathered and not told yet; it comes in a few milliseconds. */
  hurry(): void {
    this.#child?.stdin?.write('\n');
  }

  close(): void {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    child.stdin?.destroy();
    child.stdout?.destroy();
    child.kill('SIGTERM');
  }

  #spawn(script: string): void {
    try {
      this.#child = spawn(this.#perlPath, ['-e', script], {
        stdio: ['pipe', 'pipe', 'ignore'],
        // Nothing of the environment: PERL5OPT would run in it, with our rights.
        env: { LC_ALL: 'C' },
      });
    } catch (error) {
      this.#fail(error);
      return;
    }
    const child = this.#child;
    child.once('error', (error) => this.#fail(error));
    child.once('exit', (code, signal) => {
      this.#ended ??= `the helper ended (${signal ?? `exit code ${code}`})`;
    });
    child.unref();
    // Without a process neither end of these is of use; its 'error' or 'exit' says what happened.
    for (const stream of [child.stdin, child.stdout]) {
      stream?.on('error', (error) => this.#fail(error));
      if (stream instanceof Socket) stream.unref();
    }
    child.stdout?.setEncoding('latin1').on('data', (text: string) => this.#output.push(text));
  }

  // ENOENT or EACCES of perl; EAGAIN, EMFILE or ENOMEM of a machine that is at its end.
  #fail(error: unknown): void {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    this.#ended ??= `${this.#perlPath}: ${errno}`;
  }
}

const explanations: Record<string, string> = {
  'socket: EPROTONOSUPPORT': 'a kernel without CONFIG_CONNECTOR',
  'bind: EPERM': 'needs root, or CAP_NET_ADMIN',
  'listen: EPERM': 'needs root, or CAP_NET_ADMIN',
  'listen: ECONNREFUSED': 'not told in the network namespace of a container',
  answer: 'not told in the pid or user namespace of a container',
};
