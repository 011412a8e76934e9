import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HeadroomError } from '../../model/errors.ts';
import type { LaunchedLine } from '../process/child.ts';
import { devtoolsRequest } from './devtools-request.ts';

/** A Chromium that was started here. */
export interface RunningChromium {
  pid: number;
  /** As it tells itself: `Chrome/156.0.8078.73`. */
  version: string;
  /** Where its DevTools listen on 127.0.0.1; whoever reaches them owns the browser. */
  devtools: { port: number; path: string };
  /** When its main process has ended. */
  ended: Promise<void>;
  /** Opens a tab. */
  open(url: string): Promise<void>;
  /** Ends it with all of its processes and removes its profile. */
  close(): Promise<void>;
}

/** A browser on a busy machine takes seconds to come up, on a slow one more. */
const startTimeoutMs = 60_000;
/** What it is given to end by itself before it is killed. */
const closeTimeoutMs = 5_000;

export interface ChromiumOptions {
  /** A folder for its profile; default a new one for temporary files, removed at the end. */
  profile?: string;
  /** The same as the browser names it, where it has another view of the files. */
  profileSeen?: string;
  /**
   * The whole command line and environment out of the browser's own; default unchanged. Who places
   * it also ends its processes and removes its profile.
   */
  place?(executable: string, args: readonly string[]): LaunchedLine;
  /** Besides the usual ones. */
  flags?: readonly string[];
}

/**
 * Starts a headless Chromium with an empty profile of its own. COMMAND_FAILED_TO_START when it cannot
 * be run or ends at once, with what it said.
 */
export async function launchChromium(
  executable: string,
  options: ChromiumOptions = {},
): Promise<RunningChromium> {
  const profile = options.profile ?? mkdtempSync(path.join(tmpdir(), 'headroom-chromium-'));
  // Of a browser that had this profile before and crashed: its port is nobody's any more.
  rmSync(portFileOf(profile), { force: true });
  const child = startBrowser(executable, profile, options);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  try {
    const port = await devtoolsPort(child, profile, executable);
    const { Browser, webSocketDebuggerUrl } = JSON.parse(
      await devtoolsRequest(port, 'GET', '/json/version'),
    );
    return {
      pid: child.pid ?? 0,
      version: String(Browser),
      devtools: { port, path: new URL(String(webSocketDebuggerUrl)).pathname },
      ended,
      open: async (url) => {
        await devtoolsRequest(port, 'PUT', `/json/new?${encodeURIComponent(url)}`);
      },
      close: () => endBrowser(child, profile),
    };
  } catch (error) {
    // Whoever places it has its processes and its profile in hand.
    if (options.place === undefined) await endBrowser(child, profile);
    else if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    throw error;
  }
}

function startBrowser(executable: string, profile: string, options: ChromiumOptions): ChildProcess {
  const args = [...flags(options.profileSeen ?? profile), ...(options.flags ?? []), 'about:blank'];
  const { line, env } = options.place?.(executable, args) ?? { line: [executable, ...args] };
  // A process group of its own: ended as a whole, and out of reach of the terminal's Ctrl-C, which
  // would end the browser while its end is still to be recorded.
  return spawn(line[0] ?? executable, line.slice(1), {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(env === undefined ? {} : { env: { ...env } }),
  });
}

function flags(profile: string): string[] {
  return [
    '--headless=new',
    `--user-data-dir=${profile}`,
    '--remote-debugging-port=0',
    // Chromium's sandbox refuses to run as root.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
}

/** Chromium writes the port that it chose as the first line of a file in its profile. */
async function devtoolsPort(
  child: ChildProcess,
  profile: string,
  executable: string,
): Promise<number> {
  const said = collectErrors(child);
  const portFile = portFileOf(profile);
  for (const startMs = performance.now(); performance.now() - startMs < startTimeoutMs; ) {
    if (said.ended()) break;
    const port = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8').split('\n')[0]) : 0;
    if (port > 0) return port;
    await delay(50);
  }
  throw new HeadroomError(
    'COMMAND_FAILED_TO_START',
    `${executable} did not start: ${said.text()}`,
    {
      hint: 'Run it by hand, or choose another one with HEADROOM_CHROMIUM.',
    },
  );
}

function portFileOf(profile: string): string {
  return path.join(profile, 'DevToolsActivePort');
}

/** Keeps the end of what the browser says, and reads on for as long as it lives. */
function collectErrors(child: ChildProcess) {
  let text = '';
  let failure: string | null = null;
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-1_000);
  });
  child.on('error', (error) => {
    failure = error.message;
  });
  return {
    ended: () => failure !== null || hasEnded(child),
    text: () => failure ?? (text.trim() || 'it said nothing'),
  };
}

async function endBrowser(child: ChildProcess, profile: string): Promise<void> {
  if (child.pid !== undefined) {
    signalGroup(child.pid, 'SIGTERM');
    await groupEnded(child.pid, closeTimeoutMs);
    signalGroup(child.pid, 'SIGKILL');
    await groupEnded(child.pid, closeTimeoutMs);
  }
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}

async function groupEnded(group: number, timeoutMs: number): Promise<void> {
  const startMs = performance.now();
  while (signalGroup(group, 0) && performance.now() - startMs < timeoutMs) await delay(50);
}

/** False when the group has no process any more. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
