import type { ChildProcess } from 'node:child_process';
import Kernel from '@onkernel/sdk';
import { type CliResult, startCli } from './headroom-cli.ts';

/** A `headroom host` of the built program, and the SDK pointed at it. */
export interface TestHost {
  child: ChildProcess;
  result: Promise<CliResult>;
  url: string;
  token: string;
  client: Kernel;
  /** The URL of each request that the client made, repeated ones too. */
  requests: string[];
}

/** Starts a host on a free port and waits until it listens. */
export async function startTestHost(dataFolder: string, ...flags: string[]): Promise<TestHost> {
  const token = 'a-token-of-the-tests-0123456789';
  const args = ['host', '--port', '0', '--data', dataFolder, '--json', ...flags];
  const { child, result } = startCli(args, { ...process.env, HEADROOM_HOST_TOKEN: token });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (text: string) => resolve(String(JSON.parse(text).url)));
    void result.then(({ stderr }) => reject(new Error(`the host ended: ${stderr}`)));
  });
  const requests: string[] = [];
  const client = new Kernel({
    apiKey: token,
    baseURL: url,
    fetch: (input, init) => {
      requests.push(String(input));
      return fetch(input, init);
    },
  });
  return { child, result, url, token, client, requests };
}

/** Ends a host as an operator would, and waits for it; throws what it said where it failed. */
export async function stopTestHost({ child, result }: TestHost): Promise<CliResult> {
  child.kill('SIGTERM');
  const { exitCode, signal, stderr } = await result;
  if (exitCode !== 0 && signal !== 'SIGKILL') throw new Error(`the host failed: ${stderr}`);
  return await result;
}

export function decoded(base64: string | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('utf8');
}

/** What a stream of a process gives up to its end, the bytes of each of the two put together. */
export async function wholeOutput(
  stream: AsyncIterable<{ stream?: string; data_b64?: string; event?: string }>,
): Promise<{ stdout: string; stderr: string; last: object | null }> {
  const chunks: Record<string, Buffer[]> = { stdout: [], stderr: [] };
  let last: object | null = null;
  for await (const event of stream) {
    if (event.event !== undefined) last = event;
    else chunks[event.stream ?? '']?.push(Buffer.from(event.data_b64 ?? '', 'base64'));
  }
  const text = (name: string) => Buffer.concat(chunks[name] ?? []).toString('utf8');
  return { stdout: text('stdout'), stderr: text('stderr'), last };
}
