import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { HttpProblem } from '../http/problem.ts';
import type { HostPolicy } from '../quirks.ts';
import { startChild } from './child.ts';
import { type ExecResult, execute } from './exec.ts';
import type { Launcher } from './launcher.ts';
import { ProcessHandle } from './process-handle.ts';
import type { StartRequest } from './start-request.ts';
import { startTerminalChild } from './terminal-child.ts';

/** Of each output of an exec; it is answered in one piece of JSON. */
const execLimitBytes = 64 * 2 ** 20;
/** Ended ones beyond it are forgotten, the oldest first. */
const mostHandles = 2_000;

/** The processes that were started in one session through the API. */
export class SessionProcesses {
  readonly #launcher: Launcher;
  readonly #policy: HostPolicy;
  readonly #outputFolder: string;
  readonly #handles = new Map<string, ProcessHandle>();
  #isClosed = false;

  constructor(options: { launcher: Launcher; policy: HostPolicy; outputFolder: string }) {
    this.#launcher = options.launcher;
    this.#policy = options.policy;
    this.#outputFolder = options.outputFolder;
  }

  get handles(): readonly ProcessHandle[] {
    return [...this.#handles.values()];
  }

  /** 404 when there is none; ended ones are found as long as the policy keeps them. */
  find(id: string): ProcessHandle {
    const handle = this.#handles.get(id.toLowerCase());
    if (handle === undefined) throw new HttpProblem(404, 'process not found');
    return handle;
  }

  /** The newest of this pid; null when no process of that pid was started here. */
  ofPid(pid: number): ProcessHandle | null {
    return this.handles.findLast((handle) => handle.pid === pid) ?? null;
  }

  async exec(request: StartRequest, signal: AbortSignal): Promise<ExecResult | 'timed_out'> {
    this.#mustBeOpen();
    const { timeoutSeconds } = request;
    const { signalsGroup } = this.#policy;
    const options = { timeoutSeconds, signal, limitBytes: execLimitBytes, signalsGroup };
    return await execute(this.#launcher.prepare(request), options);
  }

  async spawn(request: StartRequest): Promise<ProcessHandle> {
    this.#mustBeOpen();
    const line = this.#launcher.prepare(request);
    const child =
      request.terminal === null
        ? await startChild(line)
        : await startTerminalChild(line, request.terminal);
    const output = this.#policy.makeOutput(path.join(this.#outputFolder, randomUUID()));
    const handle = new ProcessHandle(child, {
      request,
      policy: this.#policy,
      output,
      nowUnixMs: Date.now(),
    });
    this.#handles.set(handle.id, handle);
    this.#limitTime(handle, request.timeoutSeconds);
    void handle.exited.then(() => this.#ended(handle));
    this.#forgetOldest();
    return handle;
  }

  close(): void {
    this.#isClosed = true;
    for (const handle of this.handles) this.#forget(handle);
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new HttpProblem(404, 'the browser is being deleted');
  }

  #limitTime(handle: ProcessHandle, seconds: number | null): void {
    if (seconds === null || !this.#policy.limitsSpawn) return;
    const timer = setTimeout(() => {
      if (handle.end === null) handle.signal('KILL');
    }, seconds * 1_000);
    void handle.exited.then(() => clearTimeout(timer));
  }

  #ended(handle: ProcessHandle): void {
    const { endedKeptMs } = this.#policy;
    if (endedKeptMs !== null) setTimeout(() => this.#forget(handle), endedKeptMs).unref();
  }

  #forgetOldest(): void {
    if (this.#handles.size <= mostHandles) return;
    const oldest = this.handles.find(({ end }) => end !== null);
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget(handle: ProcessHandle): void {
    this.#handles.delete(handle.id);
    handle.output.close();
  }
}
