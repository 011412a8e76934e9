import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { errnoOf } from '../../model/errors.ts';
import { HttpProblem } from '../http/problem.ts';
import type { HostPolicy } from '../quirks.ts';
import type { RunningChild } from './child.ts';
import type { OutputChannel, ProcessEnd } from './frame.ts';
import type { StartRequest } from './start-request.ts';

export type SignalName = 'TERM' | 'KILL' | 'INT' | 'HUP';

/** A process that was spawned, from its start until its session forgets it. */
export class ProcessHandle {
  readonly id = randomUUID();
  readonly startedUnixMs: number;
  readonly request: StartRequest;
  readonly output: OutputChannel;
  readonly #child: RunningChild;
  readonly #policy: HostPolicy;
  #end: ProcessEnd | null = null;

  constructor(
    child: RunningChild,
    options: {
      request: StartRequest;
      policy: HostPolicy;
      output: OutputChannel;
      nowUnixMs: number;
    },
  ) {
    this.#child = child;
    this.#policy = options.policy;
    this.request = options.request;
    this.output = options.output;
    this.startedUnixMs = options.nowUnixMs;
    void child.exited.then((end) => {
      this.#end = end;
    });
    if (options.request.terminal === null || options.policy.streamsTerminals) this.#followOutput();
    void child.closed.then((end) => this.output.end(end));
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Null while it runs. */
  get end(): ProcessEnd | null {
    return this.#end;
  }

  get exited(): Promise<ProcessEnd> {
    return this.#child.exited;
  }

  async write(data: Buffer): Promise<number> {
    if (this.#end !== null) throw this.#hasEnded('failed to write to stdin');
    return await this.#child.write(data);
  }

  resize(size: { rows: number; cols: number }): void {
    if (this.#child.resize === null) throw new HttpProblem(400, 'process is not PTY-backed');
    if (this.#end !== null) throw this.#hasEnded('failed to resize');
    this.#child.resize(size);
  }

  /** 400 (with --quirks 500) when it has ended. */
  signal(name: SignalName): void {
    if (this.#end !== null || !signalProcess(this.pid, name, this.#policy)) {
      throw this.#hasEnded('failed to signal process');
    }
  }

  #hasEnded(what: string): HttpProblem {
    return new HttpProblem(this.#policy.failedStatus.ended, `${what}: it has ended`);
  }

  #followOutput(): void {
    const child = this.#child;
    child.onOutput((frame) => {
      if (!this.output.push(frame)) child.pause();
    });
    this.output.onDrain(() => child.resume());
  }
}

/** Signals a process, with its group where the policy says so; false when there is none. */
export function signalProcess(
  pid: number,
  name: SignalName,
  { signalsGroup }: Pick<HostPolicy, 'signalsGroup'>,
): boolean {
  try {
    process.kill(signalsGroup ? -pid : pid, os.constants.signals[`SIG${name}`]);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false;
    throw error;
  }
}
