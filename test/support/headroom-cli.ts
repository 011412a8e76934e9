import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program as it is installed. */
export const headroomMain = fileURLToPath(new URL('../../dist/cli/headroom.cjs', import.meta.url));

export interface CliResult {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** The built command line, as a user runs it, with an input or none; `npm test` builds it before. */
export function startCli(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  input: string | null = null,
): {
  child: ChildProcess;
  result: Promise<CliResult>;
} {
  return startNode([headroomMain, ...args], { env, input });
}

/** Any program of Node.js, to its end. */
export function runNode(
  args: readonly string[],
  options: { cwd?: string; env: NodeJS.ProcessEnv },
): Promise<CliResult> {
  return startNode(args, options).result;
}

export function startNode(
  args: readonly string[],
  { input = null, ...options }: { cwd?: string; env: NodeJS.ProcessEnv; input?: string | null },
): ReturnType<typeof startCli> {
  const child = spawn(process.execPath, args, {
    stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...options,
  });
  // Whoever ends before reading it has no need of it.
  child.stdin?.on('error', () => undefined).end(input);
  const result = new Promise<CliResult>((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
  });
  return { child, result };
}

export function runCli(...args: string[]): Promise<CliResult> {
  return startCli(args).result;
}

/** A folder of its own for a test's files. */
export function temporaryFolder(): {
  path: string;
  file(name: string): string;
  [Symbol.dispose](): void;
} {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-test-'));
  return {
    path: folder,
    file: (name) => path.join(folder, name),
    [Symbol.dispose]: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}
