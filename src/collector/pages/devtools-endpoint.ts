import http from 'node:http';
import https from 'node:https';
import { HeadroomError } from '../../model/errors.ts';
import type { ChromiumProcesses } from './chromium-processes.ts';
import { parseObject, unreachable } from './devtools-connection.ts';

const answerTimeoutMs = 5_000;
const longestAnswer = 65_536;
const browserPath = /^\/devtools\/browser\/[\w-]{1,128}$/;

/**
 * The WebSocket address of a browser's debugging protocol, of the address that a user knows:
 * `http://localhost:9222`, or the WebSocket itself. DEVTOOLS_UNREACHABLE, also when the signal fires.
 */
export async function webSocketUrl(address: string, signal: AbortSignal): Promise<string> {
  const url = new URL(address);
  if (url.protocol === 'ws:' || url.protocol === 'wss:') return address;
  const said = await askVersion(url, signal);
  const told = said?.['webSocketDebuggerUrl'];
  const path = typeof told === 'string' && URL.canParse(told) ? new URL(told).pathname : '';
  if (!browserPath.test(path)) {
    throw new HeadroomError(
      'DEVTOOLS_UNREACHABLE',
      `${url.host}: no browser's debugging protocol`,
      {
        hint: 'Give the address of --remote-debugging-port, such as http://localhost:9222.',
      },
    );
  }
  // The path alone: an answer is not to send us elsewhere.
  return `${url.protocol === 'https:' ? 'wss' : 'ws'}://${url.host}${path}`;
}

/**
 * The addresses of the browsers on this machine that have a debugging port, as their command lines
 * say; a port that the browser chose itself stands in a file of its profile. `belowPid`: only this
 * process and its descendants.
 */
export function localAddresses(processes: ChromiumProcesses, belowPid: number | null): string[] {
  return [...processes.browsers].flatMap(([pid, args]) => {
    if (belowPid !== null && !processes.isBelow(pid, belowPid)) return [];
    const port = flagOf(args, '--remote-debugging-port');
    if (port === null || !/^\d{1,5}$/.test(port)) return [];
    if (port !== '0') return [`http://127.0.0.1:${port}`];
    const profile = flagOf(args, '--user-data-dir');
    if (profile === null || !profile.startsWith('/')) return [];
    const address = chosenAddress(processes.fileOf(pid, `${profile}/DevToolsActivePort`) ?? '');
    return address === null ? [] : [address];
  });
}

/** Of a `DevToolsActivePort`: the port, and in its second line the path. */
export function chosenAddress(file: string): string | null {
  const [port = '', path = ''] = file.split('\n');
  if (!/^\d{1,5}$/.test(port) || !browserPath.test(path)) return null;
  return `ws://127.0.0.1:${port}${path}`;
}

// By node:http: `fetch` needs WebAssembly, which the small V8 of those beside a recorder has not.
function askVersion(url: URL, signal: AbortSignal): Promise<ReturnType<typeof parseObject>> {
  const { get } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(unreachable(url, cause));
    const request = get(new URL('/json/version', url), { signal }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > longestAnswer) request.destroy(new Error('the answer is too long'));
      });
      response.on('error', fail);
      response.on('end', () => resolve(parseObject(text)));
    });
    const late = () => request.destroy(new Error('no answer in time'));
    const timer = setTimeout(late, answerTimeoutMs);
    request.on('close', () => clearTimeout(timer));
    request.on('error', fail);
  });
}

// The last one counts, as for Chromium itself.
function flagOf(args: readonly string[], flag: string): string | null {
  const found = args.findLast((arg) => arg.startsWith(`${flag}=`));
  return found === undefined ? null : found.slice(flag.length + 1);
}
