import { HeadroomError } from '../model/errors.ts';
import type { ExecResult, Session } from '../session/session.ts';
import { bytesOf } from './bytes-of.ts';
import {
  type CollectorRequest,
  type CollectorState,
  parseCollectorRequest,
  parseCollectorState,
} from './collector-state.ts';
import {
  collectorFiles,
  locateScript,
  ownScript,
  placeTaken,
  removeScript,
  startScript,
  stopScript,
} from './session-scripts.ts';

const scriptSeconds = 90;
/** Of our own scripts: one sample of 20,000 processes is the most that any of them prints. */
const mostScriptBytes = 16 * 2 ** 20;
/** Of the collector: one line. */
const mostAnswerBytes = 2 ** 20;

/** The collector in a session: where it is, and what it says of itself. */
export class SessionCollector {
  readonly session: Session;
  readonly folder: string;

  private constructor(session: Session, folder: string) {
    this.session = session;
    this.folder = folder;
  }

  /** Where it is, or would be; COLLECTOR_FAILED where somebody else has taken its place. */
  static async locate(
    session: Session,
  ): Promise<{ collector: SessionCollector; pid: number | null }> {
    const text = await runScript(session, [locateScript]);
    const [folder = '', pid = ''] = text.trimEnd().split('\n');
    const collector = new SessionCollector(session, folder);
    return { collector, pid: /^\d+$/.test(pid) ? Number(pid) : null };
  }

  get files() {
    return collectorFiles(this.folder);
  }

  /** Null when it does not run. */
  async pid(): Promise<number | null> {
    return (await SessionCollector.locate(this.session)).pid;
  }

  /** What it was asked for; null when none was put there, or all of it is removed. */
  async request(): Promise<CollectorRequest | null> {
    const bytes = await bytesOf(this.session, this.files.request);
    return bytes === null ? null : parseCollectorRequest(bytes.toString('utf8'));
  }

  /** Null when it never said anything. */
  async state(): Promise<CollectorState | null> {
    const bytes = await bytesOf(this.session, this.files.state);
    return bytes === null ? null : parseCollectorState(bytes.toString('utf8'));
  }

  /** The mark of whoever follows it; null when nobody has said so. */
  async owner(): Promise<string | null> {
    const bytes = await bytesOf(this.session, this.files.owner);
    return bytes?.toString('utf8') ?? null;
  }

  /** Says who follows it from now on. */
  async own(mark: string): Promise<void> {
    await runScript(this.session, [ownScript, this.folder, mark]);
  }

  /** Keeps with it what it is asked for. */
  async note(request: CollectorRequest): Promise<void> {
    await this.session.writeFile(this.files.request, Buffer.from(JSON.stringify(request)));
  }

  /** Starts it; nothing happens where it runs. What is asked for is on no command line. */
  async start(request: CollectorRequest): Promise<void> {
    await this.note(request);
    await runScript(this.session, [startScript, this.folder, request.nodePath]);
  }

  /** Ends it, and waits for its end. */
  async stop(): Promise<void> {
    await runScript(this.session, [stopScript, this.folder]);
  }

  /** Removes all that was put into the session. */
  async remove(): Promise<void> {
    await runScript(this.session, [removeScript, this.folder]);
  }

  /** Runs the program of the collector and gives its answer; COLLECTOR_FAILED. */
  async ask(nodePath: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
    const command = [nodePath, this.files.program, ...args] as const;
    const limitBytes = mostAnswerBytes;
    const result = await this.session.exec({ command, timeoutSeconds: 240 }, { limitBytes });
    const answer = parsed(Buffer.from(result.stdout).toString('utf8'));
    if (result.exitCode === 0 && answer !== null) return answer;
    throw collectorFailure(this.session, String(answer?.['problem'] ?? lastLine(result)));
  }

  /** Why one that was started gave up; null when it did not say so. */
  async problem(): Promise<string | null> {
    const bytes = await bytesOf(this.session, this.files.log);
    const lines = bytes?.toString('utf8').split('\n') ?? [];
    const problems = lines.flatMap((line) => parsed(line)?.['problem'] ?? []);
    return problems.length === 0 ? null : String(problems.at(-1));
  }
}

/** Runs a script in the session; COLLECTOR_FAILED with its last words. */
export async function runScript(
  session: Session,
  [script, ...args]: readonly [string, ...string[]],
): Promise<string> {
  const command = ['sh', '-c', script, 'sh', ...args] as const;
  const limitBytes = mostScriptBytes;
  const result = await session.exec({ command, timeoutSeconds: scriptSeconds }, { limitBytes });
  if (result.exitCode === 0) return Buffer.from(result.stdout).toString('utf8');
  if (result.exitCode === placeTaken) throw placeTakenBy(session, lastLine(result));
  throw collectorFailure(session, lastLine(result));
}

function placeTakenBy(session: Session, problem: string): HeadroomError {
  return new HeadroomError('COLLECTOR_FAILED', `${session.name}: the collector: ${problem}`, {
    hint: 'Move it away in the session, or delete it: only a folder that headroom made is used, and removed.',
  });
}

export function collectorFailure(session: Session, problem: string): HeadroomError {
  return new HeadroomError('COLLECTOR_FAILED', `${session.name}: the collector: ${problem}`, {
    hint: "Its log is the file log in the folder headroom of the session's temporary folder.",
  });
}

function lastLine({ stderr, exitCode, signal }: ExecResult): string {
  const text = Buffer.from(stderr).toString('utf8').trim();
  return text.split('\n').at(-1) || `ended with ${exitCode ?? signal ?? 'a signal'}`;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? { ...answer } : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}
