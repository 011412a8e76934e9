import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openCpuAccount } from './cpu-account.ts';
import { endGroup } from './process-group.ts';
import { processUsage } from './process-usage.ts';

/** One of the programs that are compared: it runs, and what it uses is counted. */
export class Contender {
  readonly #account = openCpuAccount();
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #output = '';
  #errors = '';
  #stopped: Promise<string> | null = null;

  constructor(command: readonly string[]) {
    const [file = '', ...args] = this.#account.wrap(command);
    this.#child = spawn(file, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#closed = once(this.#child, 'close');
    // Kept short: a shell loop prints for as long as it runs.
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-1_000);
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-1_000);
    });
  }

  /** Null while it runs, else why it does not any more. */
  failure(): string | null {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) return null;
    const lines = this.#errors.trim().split('\n');
    const reason = lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1);
    return `ended by itself (${signalCode ?? `exit code ${exitCode}`}): ${reason || 'it said nothing'}`;
  }

  /** CPU time of it and of its children so far, ms. */
  cpuMs(): number {
    return this.#account.cpuMs(this.#pid);
  }

  /** Of the process itself; what its children hold for a moment is not in it. */
  memory(): { rssBytes: number; anonBytes: number } {
    return processUsage(this.#pid);
  }

  /** Ends it with its children and gives what it printed last; more than once is once. */
  stop(): Promise<string> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<string> {
    await endGroup(this.#pid);
    await this.#closed;
    await this.#account.close();
    return this.#output;
  }

  get #pid(): number {
    if (this.#child.pid === undefined) throw new Error('it could not be started');
    return this.#child.pid;
  }
}
