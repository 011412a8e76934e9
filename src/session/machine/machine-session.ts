import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { HeadroomError } from '../../model/errors.ts';
import type {
  ExecOptions,
  ExecResult,
  FileRead,
  ListedProcess,
  OutputPart,
  ProcessStatus,
  Session,
  SessionCommand,
  SignalName,
  SpawnedProcess,
  SpawnOptions,
} from '../session.ts';
import { execOn } from './exec-on.ts';
import { machineEnd, parseMachineList } from './machine-answers.ts';
import { afterMark } from './marked-output.ts';
import * as scripts from './scripts.ts';
import {
  bytesOf,
  handOn,
  type RunningScript,
  type ScriptCall,
  type ScriptResult,
  type Shell,
} from './shell.ts';

const fileTimeoutMs = 600_000;
const processId = /^[0-9a-f-]{36}$/;

/**
 * A machine of one's own as a session, this one or one that ssh reaches, by nothing but a shell and, for
 * what is to outlive a call, perl. There are no terminals and no other users: those have ssh and sudo.
 */
export class MachineSession implements Session {
  readonly platform = null;
  readonly #shell: Shell;

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  get name(): string {
    return this.#shell.name;
  }

  async exec(command: SessionCommand, options: ExecOptions = {}): Promise<ExecResult> {
    this.#mustBeSameUser(command);
    return await execOn(this.#shell, command, options);
  }

  async spawn(command: SessionCommand, options: SpawnOptions = {}): Promise<SpawnedProcess> {
    this.#mustBeSameUser(command);
    if (options.terminal !== undefined) {
      throw this.#cannot(
        'there are no terminals of spawned processes',
        'Use ssh -t, or tmux there.',
      );
    }
    const id = randomUUID();
    const seconds = String(command.timeoutSeconds ?? 0);
    const args = [id, command.cwd ?? '', seconds, options.hasInput === true ? '1' : '0'];
    const env = command.env ?? {};
    const all = [...args, ...command.command];
    const { stdout } = await this.#run(scripts.spawnScript, all, { what: 'spawn', env });
    return { processId: id, pid: Number(stdout.toString('latin1')) };
  }

  async status(id: string): Promise<ProcessStatus> {
    const { stdout } = await this.#runOn(scripts.statusScript, id);
    const [word, code, signal] = stdout.toString('latin1').trim().split(' ');
    return { isRunning: word === 'running', ...machineEnd(code, signal) };
  }

  async kill(id: string, signal: SignalName): Promise<void> {
    if (/^[1-9]\d{0,9}$/.test(id)) {
      await this.#run(scripts.killScript, [id, signal], { what: `pid ${id}` });
    } else await this.#runOn(scripts.killScript, id, signal);
  }

  async list(): Promise<readonly ListedProcess[]> {
    const { stdout } = await this.#run(scripts.listScript, [], { what: 'ps' });
    return parseMachineList(stdout.toString('utf8'));
  }

  async *stream(id: string, signal: AbortSignal): AsyncIterable<OutputPart> {
    this.#mustBeId(id);
    const running = await this.#shell.start(scripts.followScript, { args: [id], signal });
    try {
      yield* bothOutputs(running);
      this.#mustHaveWorked(await running.ended, `process ${id}`);
    } finally {
      running.leave();
    }
    const { isRunning, ...end } = await this.status(id);
    if (!isRunning) yield { kind: 'end', end };
  }

  async sendInput(
    id: string,
    input: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<boolean> {
    this.#mustBeId(id);
    const running = await this.#shell.start(scripts.inputScript, { args: [id], signal });
    const [stderr] = await Promise.all([bytesOf(running.stderr), handOn(input, running.stdin)]);
    const exitCode = await running.ended;
    if (!signal.aborted) this.#mustHaveWorked(exitCode, `process ${id}`, stderr.toString('utf8'));
    return true;
  }

  async resize(): Promise<void> {
    throw this.#cannot('there are no terminals of spawned processes');
  }

  async *followFile(file: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const running = await this.#shell.start(scripts.tailScript, { args: [file], signal });
    try {
      yield* running.stdout;
      const stderr = await bytesOf(running.stderr);
      if (signal.aborted) return;
      this.#mustHaveWorked(await running.ended, file, stderr.toString('utf8'));
    } finally {
      running.leave();
    }
  }

  async readFile(file: string): Promise<FileRead> {
    const running = await this.#shell.start(scripts.readScript, { args: [file] });
    running.stdin.end();
    const { head, rest } = await firstLine(running.stdout);
    if (head === null) {
      const stderr = await bytesOf(running.stderr);
      this.#mustHaveWorked(await running.ended, file, stderr.toString('utf8'));
    }
    return {
      sizeBytes: head === null ? 0 : Number(head),
      chunks: this.#whole(running, rest, file),
    };
  }

  async writeFile(file: string, content: Uint8Array, { mode = '600' } = {}): Promise<void> {
    const args = [path.posix.dirname(file), file, mode];
    const input = (async function* () {
      yield content;
    })();
    await this.#run(scripts.writeScript, args, { what: file, input, timeoutMs: fileTimeoutMs });
  }

  async removeFile(file: string): Promise<void> {
    await this.#run(scripts.removeScript, [file], { what: file });
  }

  async *#whole(
    running: RunningScript,
    chunks: AsyncIterable<Uint8Array>,
    file: string,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks;
      this.#mustHaveWorked(await running.ended, file);
    } finally {
      running.leave();
    }
  }

  async #runOn(script: string, id: string, ...args: readonly string[]): Promise<ScriptResult> {
    this.#mustBeId(id);
    return await this.#run(script, [id, ...args], { what: `process ${id}` });
  }

  async #run(
    script: string,
    args: readonly string[],
    {
      what,
      ...call
    }: ScriptCall & {
      what: string;
      input?: AsyncIterable<Uint8Array>;
      timeoutMs?: number;
    },
  ): Promise<ScriptResult> {
    const result = await this.#shell.run(script, { args, ...call });
    this.#mustHaveWorked(result.exitCode, what, result.stderr);
    return result;
  }

  #mustHaveWorked(exitCode: number | null, what: string, stderr = ''): void {
    if (exitCode === 0) return;
    if (exitCode === null || exitCode === 255) throw this.#shell.brokeOff();
    if (exitCode === 44) throw this.#notFound(what);
    if (exitCode === 46) {
      throw this.#cannot(
        'what outlives a call is kept by perl, and there is none',
        'Install perl.',
      );
    }
    if (exitCode === 48) throw this.#cannot(`${what} was started without an input`);
    const why = stderr.trim().split('\n').at(-1) || `ended with ${exitCode}`;
    throw this.#shell.failure(`${what}: ${why}`);
  }

  #mustBeSameUser({ user }: SessionCommand): void {
    if (user === undefined) return;
    throw this.#cannot(
      'a command has the user of the target',
      'Name the user in ssh:USER@HOST, or put sudo before the command.',
    );
  }

  #mustBeId(id: string): void {
    if (!processId.test(id)) throw this.#notFound(`process ${id}`);
  }

  #notFound(what: string): HeadroomError {
    return new HeadroomError('SESSION_NOT_FOUND', `${this.name}: ${what}: there is none`, {
      hint: 'Check the id or the path; what was spawned is forgotten a day after its end.',
    });
  }

  #cannot(why: string, hint?: string): HeadroomError {
    const details = hint === undefined ? {} : { hint };
    return new HeadroomError('SESSION_CANNOT', `${this.name}: ${why}`, details);
  }
}

/** Pieces of both outputs as they come. */
async function* bothOutputs({ stdout, stderr }: RunningScript): AsyncGenerator<OutputPart> {
  const outputs = { stdout, stderr };
  const next = async (stream: 'stdout' | 'stderr') => ({
    stream,
    result: await outputs[stream].next(),
  });
  const waiting = new Map([
    ['stdout', next('stdout')],
    ['stderr', next('stderr')],
  ]);
  while (waiting.size > 0) {
    const { stream, result } = await Promise.race(waiting.values());
    if (result.done === true) waiting.delete(stream);
    else {
      yield { kind: 'output', stream, data: result.value };
      waiting.set(stream, next(stream));
    }
  }
}

/** Null and nothing more when it ends before a line does. */
async function firstLine(
  output: AsyncGenerator<Uint8Array>,
): Promise<{ head: string | null; rest: AsyncIterable<Uint8Array> }> {
  const { word, ...more } = await afterMark(output, '');
  return 'rest' in more ? { head: word, rest: more.rest } : { head: null, rest: output };
}
