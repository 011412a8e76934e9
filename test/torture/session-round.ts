import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../../src/model/errors.ts';
import { openRecording } from '../../src/store/reader.ts';
import { verifyFile } from '../../src/store/verify/verify-file.ts';
import { type CliResult, startCli } from '../support/headroom-cli.ts';
import { startTestHost, stopTestHost, type TestHost } from '../support/session-host.ts';
import { uniformNumbers } from '../support/uniform-numbers.ts';
import type { Round } from './round.ts';

/** What is killed: in the session, on our side, or both. */
const parts = ['collector', 'attach', 'collector and attach', 'copy', 'browser'] as const;

type Part = (typeof parts)[number];

interface Scene {
  /** The session's own /tmp, as the host sees it. */
  tmp: string;
  headroom(command: string, ...args: string[]): ReturnType<typeof startCli>;
}

/**
 * Sessions of their own, attached to and recorded; a random part of all that is killed at a random
 * moment; then the recording is brought home. Whatever was in the file at the kill has to be in the
 * one that came, which has to be whole, and nothing may be left of a session that was deleted. The host
 * is one for all of them.
 */
export async function* sessionRounds(
  seeds: readonly number[],
  folder: string,
): AsyncGenerator<Round> {
  const host = await startTestHost(`${folder}/sessions`, '--quirks');
  try {
    for (const seed of seeds) yield await sessionRound(seed, { host, folder });
  } finally {
    await stopTestHost(host);
  }
}

async function sessionRound(
  seed: number,
  { host, folder }: { host: TestHost; folder: string },
): Promise<Round> {
  const random = uniformNumbers((seed * 2_654_435_761) % 2 ** 32);
  const part = parts[Math.floor(random() * parts.length)] ?? 'collector';
  const delayMs = 3_000 * random();
  const round: Round = {
    seed,
    killCount: 0,
    committedCount: 0,
    lostCount: 0,
    partialCount: 0,
    problem: null,
  };
  try {
    const browser = await host.client.browsers.create({ headless: true, timeout_seconds: 3_600 });
    const id = browser.session_id;
    const env = { ...process.env, KERNEL_API_KEY: host.token, KERNEL_BASE_URL: host.url };
    const sessionFolder = path.join(folder, 'sessions', 'sessions', id);
    const scene: Scene = {
      tmp: path.join(sessionFolder, 'root', 'tmp'),
      headroom: (command, ...args) => startCli([command, `kernel:${id}`, ...args], env),
    };
    await killAndFetch(scene, { part, delayMs, out: `${folder}/session-${seed}.db` }, round);
    await host.client.browsers.deleteByID(id);
    const left = [...processesOf(id), ...(existsSync(sessionFolder) ? [sessionFolder] : [])];
    if (left.length > 0) round.problem ??= `${part}: left after delete: ${left.join(', ')}`;
  } catch (error) {
    round.problem = `${part}: ${error instanceof Error ? error.message : error}`;
  }
  return round;
}

/** Processes in the cgroup of a session, or that carry its variable. */
function processesOf(sessionId: string): string[] {
  return readdirSync('/proc').filter(
    (pid) =>
      /^\d+$/.test(pid) &&
      ['cgroup', 'environ'].some((file) =>
        orNothing(() => readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.includes(sessionId),
      ),
  );
}

async function killAndFetch(
  { tmp, headroom }: Scene,
  { part, delayMs, out }: { part: Part; delayMs: number; out: string },
  round: Round,
): Promise<void> {
  const attach = headroom(
    ...['attach', '--mode', 'node', '--out', out, '--interval', '100ms', '--pull-every', '1s'],
  );
  await said(attach, 'recording in');
  await sleep(delayMs);
  const recorded = `${tmp}/headroom/recording.db`;
  const before = ticksOf(recorded);
  const pids = await pidsOf(part, tmp);
  if (part.includes('attach')) pids.push(attach.child.pid ?? 0);
  for (const pid of pids) kill(pid);
  round.killCount += pids.length;
  const committed = new Set([...before, ...ticksOf(recorded)]);
  round.committedCount += committed.size;
  let file = out;
  if (part.includes('attach')) {
    await attach.result;
    file = out.replace(/\.db$/, '-stopped.db');
    expectSuccess(await headroom('stop', '--out', file).result);
  } else {
    // What was killed is noticed meanwhile, or not.
    await sleep(delayMs);
    attach.child.kill('SIGINT');
    expectSuccess(await attach.result);
  }
  const fetched = new Set(ticksOf(file));
  round.lostCount += [...committed].filter((tick) => !fetched.has(tick)).length;
  const { isWhole, problems } = verifyFile(file);
  if (!isWhole) round.problem = `${part}: ${problems.map(({ code }) => code).join(', ')}`;
}

async function said(attach: ReturnType<typeof startCli>, words: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    attach.child.stderr?.on('data', (text: string) => {
      if (text.includes(words)) resolve();
    });
    void attach.result.then(({ stderr }) => reject(new Error(`attach ended: ${stderr}`)));
  });
}

function expectSuccess({ exitCode, signal, stderr }: CliResult): void {
  if (exitCode !== 0) throw new Error(`ended with ${exitCode ?? signal}: ${stderr}`);
}

/** Processes of this session only: others on the machine have the same names and paths. */
async function pidsOf(part: Part, tmp: string): Promise<number[]> {
  const collector = `${tmp}/headroom/collector.cjs`;
  if (part.includes('collector')) return pidsWith(collector, (args) => args.includes('record'));
  if (part === 'browser') {
    return pidsWith(`${tmp}/.chromium`, (args) => !args.some((arg) => arg.startsWith('--type=')));
  }
  if (part !== 'copy') return [];
  // One is made every second.
  for (let tries = 0; tries < 2_000; tries++) {
    const pids = pidsWith(collector, (args) => args.includes('snapshot'));
    if (pids.length > 0) return pids;
    await sleep(5);
  }
  return [];
}

/** Those that have a file or folder in their arguments, by whatever name they see it. */
function pidsWith(file: string, isWanted: (args: readonly string[]) => boolean): number[] {
  const name = path.basename(file);
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      const args = argumentsOf(pid);
      const seen = args.find((arg) => arg.endsWith(`/${name}`))?.replace(/^--[\w-]+=/, '');
      return seen !== undefined && isWanted(args) && isSame(`/proc/${pid}/root${seen}`, file);
    });
}

function argumentsOf(pid: number): readonly string[] {
  return orNothing(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')) ?? [];
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => orNothing(() => statSync(file)));
  return a != null && b != null && a.ino === b.ino && a.dev === b.dev;
}

/** Of a process that has just ended. */
function orNothing<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It had just ended by itself.
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

/** Sequence and time of each tick. */
function ticksOf(file: string): string[] {
  using recording = openRecording(file);
  return [...recording.ticks()].map(({ sequence, timeUnixMs }) => `${sequence} ${timeUnixMs}`);
}
