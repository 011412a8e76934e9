import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { provideTestServers, type TestServer } from '../../scripts/setup/test-servers.mjs';

const startTimeoutMs = 120_000;
const found = await provideTestServers();

/** One series of an answer, with its value at one instant. */
export interface QueriedSeries {
  /** The labels, `__name__` among them. */
  metric: Record<string, string>;
  value: number;
  timeUnixMs: number;
}

export interface QueriedRange {
  metric: Record<string, string>;
  values: { value: number; timeUnixMs: number }[];
}

/** Whether one cannot be had here. Says so, and why, for all to see; the tests are to be skipped. */
export function serversMissing(...names: TestServer[]): boolean {
  const reasons = names.flatMap((name) => {
    const server = found.get(name);
    return server === undefined || 'path' in server ? [] : [server.reason];
  });
  if (reasons.length > 0) console.error(`TESTS ARE SKIPPED: ${reasons.join('; ')}`);
  return reasons.length > 0;
}

/** The program, as unpacked by the set-up. */
export function serverProgram(name: TestServer): string {
  const server = found.get(name);
  if (server === undefined || 'reason' in server) throw new Error(server?.reason ?? `no ${name}`);
  return server.path;
}

/** What promtool has to say against a text of /metrics. */
export function checkMetrics(input: string) {
  return spawnSync(serverProgram('promtool'), ['check', 'metrics'], { input, encoding: 'utf8' });
}

export interface ServerCommand {
  program: TestServer;
  args(folder: string): string[];
  /** Its log line with the URL or address at which it listens, as the first group. */
  listening: RegExp;
}

/** A real server on a free port of loopback, with a folder of its own for data. */
export class MetricsServer {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, url: string, folder: string) {
    this.#child = child;
    this.url = url;
    this.#folder = folder;
  }

  static async start(command: ServerCommand): Promise<MetricsServer> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), `headroom-${command.program}-`));
    // Dies with this process, however that one ends.
    const program = ['--pdeathsig', 'KILL', serverProgram(command.program)];
    const child = spawn('setpriv', [...program, ...command.args(folder)], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      const address = await listeningAddress(child, command);
      return new MetricsServer(child, `http://${address}`, folder);
    } catch (error) {
      child.kill('SIGKILL');
      fs.rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** An instant query; at the present time unless told otherwise. */
  async query(expression: string, atUnixMs?: number): Promise<QueriedSeries[]> {
    const time = atUnixMs === undefined ? {} : { time: String(atUnixMs / 1000) };
    const data = await this.api('query', { query: expression, ...time });
    return resultOf<{ metric: Record<string, string>; value: [number, string] }>(data).map(
      ({ metric, value: [seconds, value] }) => ({
        metric,
        value: Number(value),
        timeUnixMs: Math.round(seconds * 1000),
      }),
    );
  }

  async queryRange(
    expression: string,
    range: { fromUnixMs: number; toUnixMs: number; stepSeconds: number },
  ): Promise<QueriedRange[]> {
    const data = await this.api('query_range', {
      query: expression,
      start: String(range.fromUnixMs / 1000),
      end: String(range.toUnixMs / 1000),
      step: String(range.stepSeconds),
    });
    return resultOf<{ metric: Record<string, string>; values: [number, string][] }>(data).map(
      ({ metric, values }) => ({
        metric,
        values: values.map(([seconds, value]) => ({
          value: Number(value),
          timeUnixMs: Math.round(seconds * 1000),
        })),
      }),
    );
  }

  /** The `data` of `/api/v1/<path>`. Throws with the server's own words when it refuses. */
  async api(apiPath: string, parameters: Record<string, string> = {}): Promise<unknown> {
    const body = await this.text(`/api/v1/${apiPath}?${new URLSearchParams(parameters)}`);
    const answer: { status: string; data?: unknown } = JSON.parse(body);
    if (answer.status !== 'success') throw new Error(`${apiPath}: ${body}`);
    return answer.data;
  }

  async text(pathAndQuery: string): Promise<string> {
    const response = await fetch(`${this.url}${pathAndQuery}`);
    const body = await response.text();
    if (!response.ok) throw new Error(`${pathAndQuery}: status ${response.status}: ${body}`);
    return body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) {
      const exit = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGKILL');
      await exit;
    }
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }
}

function listeningAddress(child: ChildProcess, command: ServerCommand): Promise<string> {
  return new Promise((resolve, reject) => {
    let log = '';
    const fail = (what: string): void => {
      clearTimeout(timer);
      reject(new Error(`${command.program} ${what}:\n${log.slice(-2000)}`));
    };
    const timer = setTimeout(() => fail('did not start in time'), startTimeoutMs);
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`));
    const read = (text: string): void => {
      // What it writes later is read all the same, so that the pipe never fills up.
      log = (log + text).slice(-20_000);
      const [, address] = command.listening.exec(log) ?? [];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout?.setEncoding('utf8').on('data', read);
    child.stderr?.setEncoding('utf8').on('data', read);
  });
}

function resultOf<T>(data: unknown): T[] {
  return (data as { result: T[] }).result;
}
