import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errnoOf, HeadroomError } from '../../model/errors.ts';
import { timeLimit } from '../../model/time-limit.ts';
import { afterMark } from './marked-output.ts';
import { shellLine } from './shell-line.ts';

export interface ShellOptions {
  /** How the machine is named in messages. */
  name: string;
  /** Starts a shell there that runs `bootLine`. */
  program: readonly [string, ...string[]];
  /** What to do when it cannot be reached. */
  hint: string;
}

export interface ScriptCall {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Ends the call on this side. */
  signal?: AbortSignal;
}

/** A script that has begun. */
export interface RunningScript {
  /** There. */
  pid: number;
  mark: string;
  stdin: Writable;
  stdout: AsyncGenerator<Uint8Array>;
  stderr: AsyncGenerator<Uint8Array>;
  /** The code of the program that started it; null when a signal ended that. */
  ended: Promise<number | null>;
  /** Ends that program; what runs there may go on. */
  leave(): void;
}

export interface ScriptResult {
  exitCode: number | null;
  stdout: Buffer;
  stderr: string;
}

const usualTimeoutMs = 60_000;
const mostBytes = 16 * 2 ** 20;

/** Runs scripts of POSIX shell on one machine. No call is ever made twice. */
export class Shell {
  readonly #options: ShellOptions;

  constructor(options: ShellOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /**
   * Starts a script. SESSION_UNREACHABLE and SESSION_REFUSED where the machine lets nobody in,
   * TypeError for an argument that no process can be given.
   */
  async start(script: string, call: ScriptCall = {}): Promise<RunningScript> {
    const mark = `headroom-${randomBytes(12).toString('hex')}`;
    const line = shellLine({ script, args: call.args ?? [], env: call.env ?? {}, mark });
    const [program, ...args] = this.#options.program;
    // In a session of its own: it has no terminal to ask for a password, and gets no Ctrl-C.
    const child = spawn(program, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const ended = endOf(child);
    const leave = () => endGroup(child);
    call.signal?.addEventListener('abort', leave, { once: true });
    if (call.signal?.aborted === true) leave();
    // A side that went away is seen by its outputs and its end.
    child.stdin.on('error', () => child.stdin.destroy());
    child.stdin.write(line);
    const [stdout, stderr, failure] = await Promise.all([
      afterMark(child.stdout, mark),
      afterMark(child.stderr, mark),
      started(child),
    ]);
    if (failure !== null) throw this.#unreachable(failure);
    if (stdout.word === null || stderr.word === null) {
      const said = stderr.word === null ? stderr.noise : '';
      throw this.#unreachable(said.trim().split('\n').at(-1) || 'it did not answer');
    }
    void ended.then(() => call.signal?.removeEventListener('abort', leave));
    const pid = Number(stderr.word);
    const outputs = { stdout: stdout.rest, stderr: stderr.rest };
    return { pid, mark, stdin: child.stdin, ...outputs, ended, leave };
  }

  /** Runs a script to its end, in a minute unless told otherwise. */
  async run(
    script: string,
    {
      input,
      timeoutMs = usualTimeoutMs,
      ...call
    }: ScriptCall & {
      input?: AsyncIterable<Uint8Array>;
      timeoutMs?: number;
    } = {},
  ): Promise<ScriptResult> {
    using limit = timeLimit(timeoutMs);
    const signal =
      call.signal === undefined ? limit.signal : AbortSignal.any([call.signal, limit.signal]);
    const running = await this.start(script, { ...call, signal });
    const [stdout, stderr, exitCode] = await Promise.all([
      bytesOf(running.stdout),
      bytesOf(running.stderr),
      running.ended,
      handOn(input, running.stdin),
    ]);
    if (signal.aborted) throw this.#unreachable('no answer in time, or given up');
    if (exitCode === null || exitCode === 255) throw this.brokeOff();
    return { exitCode, stdout, stderr: stderr.toString('utf8') };
  }

  failure(problem: string): HeadroomError {
    return new HeadroomError('SESSION_CALL_FAILED', `${this.name}: ${problem}`);
  }

  brokeOff(): HeadroomError {
    return this.#unreachable('the connection broke off');
  }

  #unreachable(why: string): HeadroomError {
    const { name, hint } = this.#options;
    const isRefused = /permission denied|verification failed|authentication/i.test(why);
    const code = isRefused ? 'SESSION_REFUSED' : 'SESSION_UNREACHABLE';
    return new HeadroomError(code, `${name}: ${why}`, { hint });
  }
}

/** Writes all of an input and ends it; a reader that goes away early is no error. */
export async function handOn(
  input: AsyncIterable<Uint8Array> | undefined,
  stdin: Writable,
): Promise<void> {
  try {
    if (input === undefined) stdin.end();
    else await pipeline(input, stdin);
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    const isGone = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'];
    if (!isGone.includes(errno)) throw error;
  }
}

export async function bytesOf(output: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of output) {
    length += chunk.length;
    if (length <= mostBytes) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Null when it was started, else why not. */
function started(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(null));
    child.once('error', (error) => {
      const isMissing = errnoOf(error) === 'ENOENT';
      resolve(isMissing ? `there is no program ${child.spawnfile} here` : error.message);
    });
  });
}

/** With what a shell of this machine started; ssh is alone in its group. */
function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('close', (code) => resolve(code));
  });
}
