import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

const lastPath = '/last';
const program = fileURLToPath(new URL('../fixtures/cases/_tools/otlp-mock.mjs', import.meta.url));

/** What the mock of the cases prints for each request. */
export interface MockRequest {
  n: number;
  /** Seconds since its start. */
  t: number;
  method: string;
  url: string;
  bytes: number;
  enc: string | null;
  type: string;
  /** Counted in JSON bodies only. */
  points: number | null;
  auth: 'present' | null;
  status: number | 'destroyed';
}

export interface OtlpMock {
  url: string;
  requests: MockRequest[];
  /** Resolves when every request that was made before is in `requests`. */
  allSeen(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the mock of the cases with the script of a case. */
export async function startMock(scriptFile: string): Promise<OtlpMock> {
  const child = spawn(process.execPath, [program, scriptFile], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = readline.createInterface({ input: child.stdout });
  const requests: MockRequest[] = [];
  let onLast: () => void = () => undefined;
  const port = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the mock ended with ${code}`)));
    lines.on('line', (line) => {
      if (line.startsWith('listening ')) resolve(line.slice('listening '.length));
      if (!line.startsWith('{"n"')) return;
      const request: MockRequest = JSON.parse(line);
      if (request.url === lastPath) onLast();
      else requests.push(request);
    });
  });
  const url = `http://127.0.0.1:${port}`;
  // It prints in the order in which it is asked; its answer, if there is one, is not waited for.
  const allSeen = async () => {
    const seen = new Promise<void>((resolve) => {
      onLast = resolve;
    });
    const last = http.get(url + lastPath).on('error', () => undefined);
    await seen;
    last.destroy();
  };
  return { url, requests, allSeen, close: () => ended(child) };
}

/** A script of one's own, in the form of the cases. */
export async function startMockWith(folder: string, script: object): Promise<OtlpMock> {
  const file = path.join(folder, 'script.json');
  writeFileSync(file, JSON.stringify(script));
  return await startMock(file);
}

async function ended(child: ChildProcess): Promise<void> {
  child.removeAllListeners('exit');
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}
