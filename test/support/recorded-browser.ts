import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { findChromium } from '../../src/host/browser/find-chromium.ts';
import type { ProcessRecord, Recording } from '../../src/model/recording.ts';
import { openRecording } from '../../src/store/reader.ts';
import { type CliResult, startCli } from './headroom-cli.ts';

// A browser on a machine that is busy with other tests takes half a minute to start or to crash.
export const patience = { timeout: 120_000, interval: 200 };

export interface RecordedBrowserOptions {
  file: string;
  /** Of `headroom record`. */
  recordFlags?: readonly string[];
  /** Of Chromium, and pages to open. */
  browserFlags: readonly string[];
  /** Runs a copy of Chromium in this folder, which the command itself makes first. */
  copyTo?: string;
  /** Of the recorder, and what it starts. */
  env?: NodeJS.ProcessEnv;
}

/** The command line of a headless Chromium with a profile beside the file. */
export function chromiumCommand(file: string, flags: readonly string[]): string[] {
  return [
    chromiumProgram(),
    '--headless=new',
    `--user-data-dir=${file}-profile`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    ...flags,
  ];
}

/** The same, of a copy of Chromium in this folder, which the command itself makes first. */
export function copiedChromiumCommand(
  file: string,
  flags: readonly string[],
  copyTo: string,
): string[] {
  const [program = '', ...rest] = chromiumCommand(file, flags);
  return ['sh', '-c', copyScript, 'sh', realProgram(program), copyTo, ...rest];
}

/** `headroom record -- chromium`, with what tests do to such a browser. */
export class RecordedBrowser {
  readonly #file: string;
  readonly #child: ReturnType<typeof startCli>['child'];
  readonly ended: Promise<CliResult>;

  constructor({ file, recordFlags = [], browserFlags, copyTo, env }: RecordedBrowserOptions) {
    this.#file = file;
    const record = ['record', '--quiet', '--interval', '500ms', '--out', file, ...recordFlags];
    const command =
      copyTo === undefined
        ? chromiumCommand(file, browserFlags)
        : copiedChromiumCommand(file, browserFlags, copyTo);
    const { child, result } = startCli([...record, '--', ...command], env);
    this.#child = child;
    this.ended = result;
  }

  /** Asks for a page. No answer is no failure: the page may end the browser before it comes. */
  async open(url: string): Promise<void> {
    const portFile = `${this.#file}-profile/DevToolsActivePort`;
    const port = await vi.waitFor(() => {
      const found = existsSync(portFile)
        ? Number(readFileSync(portFile, 'utf8').split('\n')[0])
        : 0;
      expect(found).toBeGreaterThan(0);
      return found;
    }, patience);
    const request = { method: 'PUT', signal: AbortSignal.timeout(patience.timeout) };
    await fetch(`http://127.0.0.1:${port}/json/new?${url}`, request).catch(String);
  }

  /** Stops the recorder and all living processes of the browser; gives what lets them go on. */
  async pause(): Promise<() => void> {
    const tree = await this.#find((recording) => {
      const living = members(recording).filter(({ endedUnixMs }) => endedUnixMs === null);
      return living.some(({ role }) => role === 'renderer') ? living : undefined;
    });
    const pids = [this.#child.pid ?? 0, ...tree.map(({ pid }) => pid)];
    for (const pid of pids) sendSignal(pid, 'SIGSTOP');
    await vi.waitFor(() => {
      for (const pid of pids) expect(stateOf(pid)).toMatch(/^[TZ-]$/);
    }, patience);
    return () => {
      for (const pid of pids) sendSignal(pid, 'SIGCONT');
    };
  }

  /** The oldest living process of this role in this browser, and of no other on the machine. */
  living(role: ProcessRecord['role']): Promise<ProcessRecord> {
    return this.#find((recording) =>
      members(recording).find((process) => process.role === role && process.endedUnixMs === null),
    );
  }

  /** A process of this browser that ended by this signal, other than these. */
  endedBy(signal: string, known: readonly number[] = []): Promise<ProcessRecord> {
    return this.#find((recording) =>
      members(recording).find((end) => end.signal === signal && !known.includes(end.pid)),
    );
  }

  /** Until a sample of that much later than this moment is there. */
  async recordedBeyond(unixMs: number, ms: number): Promise<void> {
    await this.#find((recording) =>
      (recording.lastTick()?.timeUnixMs ?? 0) > unixMs + ms ? recording : undefined,
    );
  }

  /** Asks the recorder to end, if it still runs, and waits for it. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.ended;
  }

  #find<Found>(look: (recording: Recording) => Found | undefined): Promise<Found> {
    return vi.waitFor(() => {
      expect(existsSync(this.#file)).toBe(true);
      using recording = openRecording(this.#file);
      const found = look(recording);
      if (found === undefined) throw new Error('it is not recorded yet');
      return found;
    }, patience);
  }
}

// With `-- CMD` only what descends from the command belongs to a browser.
function members(recording: Recording): ProcessRecord[] {
  return recording.processes().filter(({ browserPid }) => browserPid !== null);
}

// A spare renderer may be gone since it was recorded.
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** As `/proc/<pid>/stat` has it; `-` for one that is gone. */
function stateOf(pid: number): string | undefined {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(') ').at(-1)?.[0] : '-';
}

const copyScript =
  'from=$1 to=$2; shift 2; cp -r "$(dirname "$from")" "$to" && exec "$to/$(basename "$from")" "$@"';

// Debian's /usr/bin/chromium is a script that starts the program in its own folder.
function realProgram(program: string): string {
  const found = ['/usr/lib/chromium/chromium'].find((path) => existsSync(path));
  return found ?? realpathSync(program);
}

/** Fails, and does not skip, where there is no Chromium. */
export function chromiumProgram(): string {
  const found = findChromium();
  if (found === null) {
    throw new Error('no Chromium: install the package chromium, or set HEADROOM_CHROMIUM');
  }
  return found;
}
