import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { type CliResult, headroomMain, startNode } from './headroom-cli.ts';

/** `headroom serve` on a free port, started beside what it serves: so it is shown by a plain name. */
export interface HeadroomServer {
  url: string;
  child: ChildProcess;
  get(path: string, accept?: string): Promise<string>;
  stop(): Promise<CliResult>;
}

export async function startServer(source: string, ...flags: string[]): Promise<HeadroomServer> {
  const args = ['serve', path.basename(source), '--port', '0', '--json', ...flags];
  const beside = { cwd: path.dirname(source), env: process.env };
  const { child, result } = startNode([headroomMain, ...args], beside);
  const url = await firstMatch(child.stdout, /"url":"(http:[^"]*)\/"/, result);
  return {
    url,
    child,
    get: async (path, accept = '*/*') => {
      const response = await fetch(`${url}${path}`, { headers: { accept } });
      if (!response.ok) throw new Error(`${path}: status ${response.status}`);
      return await response.text();
    },
    stop: async () => {
      child.kill('SIGTERM');
      return await result;
    },
  };
}

/** The first group of what a program prints, as soon as it has printed it. */
export function firstMatch(
  stream: NodeJS.ReadableStream | null,
  pattern: RegExp,
  result: Promise<CliResult>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream?.on('data', (chunk: string) => {
      text += chunk;
      const [, found] = pattern.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    result.then(
      ({ exitCode, stderr }) => reject(new Error(`it ended with ${exitCode}: ${stderr}`)),
      reject,
    );
  });
}
