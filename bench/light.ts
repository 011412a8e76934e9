/**
 * What the light sampler takes in a session: a pid namespace of its own with a real Chromium and idle
 * processes, PROCESSES (60) in all, read once a second for SECONDS (60) after the first ten. Prints CPU
 * time with all that it forks, PSS and bytes of frames, for perl beside its budget. Its own program is
 * counted in full, as nobody else in the session may run it. Root only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { perlSampler } from '../src/attach/light/perl-sampler.ts';
import { shellSampler } from '../src/attach/light/shell-sampler.ts';
import { findChromium } from '../src/host/browser/find-chromium.ts';
import { type CleanUp, untilInterrupted, withCleanUp } from './support/clean-up.ts';
import { openCpuAccount } from './support/cpu-account.ts';
import { printFigures, printTable, round } from './support/figures.ts';

const processes = Number(process.env['PROCESSES'] ?? 60);
const seconds = Number(process.env['SECONDS'] ?? 60);
const settledMs = 10_000;
const tabs = 12;

interface Cost {
  cpuMsPerSecond: number;
  pssMiB: number;
  bytesPerTick: number;
}

await untilInterrupted((interrupted) =>
  withCleanUp(async (cleanUp) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-bench-'));
    cleanUp.add(() => fs.rmSync(folder, { recursive: true, force: true }));
    const session = await startSession(folder, cleanUp);
    await sleep(settledMs, undefined, { signal: interrupted });
    const costs = new Map<string, Cost>();
    for (const shell of ['perl', 'bash', 'dash']) {
      costs.set(shell, await measure(shell, { folder, session, interrupted }));
    }
    const rows = [...costs].map(([name, cost]) => [name, ...Object.values(cost).map(round)]);
    const title = `${processes} processes; load of the machine ${os.loadavg()[0]}`;
    printTable(title, [['sampler', 'CPU ms/s', 'PSS MiB', 'bytes a tick'], ...rows]);
    const perl = costs.get('perl');
    if (perl === undefined) return;
    printFigures('perl', [
      { name: 'CPU time', unit: 'ms/s', measured: perl.cpuMsPerSecond, budget: 3 },
      { name: 'PSS', unit: 'MiB', measured: perl.pssMiB, budget: 4 },
    ]);
  }),
);

/** A Chromium and as many sleeping processes as are missing, in a pid namespace; gives its first pid. */
async function startSession(folder: string, cleanUp: CleanUp): Promise<number> {
  const chromium = findChromium(process.env);
  if (chromium === null) throw new Error('no Chromium');
  const pages = Array.from({ length: tabs }, (_, at) => `data:text/html,<h1>${at}</h1>`);
  const script = `"$@" >/dev/null 2>&1 &
    sleep 8
    while set -- /proc/[0-9]*; [ $# -lt ${processes} ]; do sleep 1000 & done
    exec sleep 1000`;
  const flags = ['--headless=new', '--no-sandbox', `--user-data-dir=${folder}/profile`];
  const args = ['--pid', '--fork', '--mount-proc', '--kill-child', 'sh', '-c', script, 'sh'];
  const unshare = spawn('unshare', [...args, chromium, ...flags, ...pages], { stdio: 'ignore' });
  cleanUp.add(() => end(unshare, 'SIGKILL'));
  await sleep(settledMs);
  const [first] = fs
    .readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8')
    .split(' ');
  return Number(first);
}

async function measure(
  shell: string,
  at: { folder: string; session: number; interrupted: AbortSignal },
): Promise<Cost> {
  const isPerl = shell === 'perl';
  const place = path.join(at.folder, shell);
  fs.mkdirSync(place);
  const program = path.join(place, isPerl ? 'light.pl' : 'light.sh');
  fs.writeFileSync(program, isPerl ? perlSampler : shellSampler);
  fs.writeFileSync(path.join(place, 'head.json'), '{}\n');
  fs.writeFileSync(path.join(place, 'files'), '');
  const account = openCpuAccount();
  const sampler = [shell, program, place, '1', '228', '1024', String(2 ** 25), '28'];
  const inside = ['nsenter', '-t', String(at.session), '-p', '-m', ...sampler];
  const [command = '', ...args] = account.wrap(inside);
  const env = { ...process.env, LC_ALL: 'C' };
  const child = spawn(command, args, { env, stdio: 'ignore' });
  try {
    await sleep(settledMs, undefined, { signal: at.interrupted });
    const before = { cpuMs: account.cpuMs(child.pid ?? 0), bytes: frameBytes(place) };
    await sleep(seconds * 1000, undefined, { signal: at.interrupted });
    const cpuMs = account.cpuMs(child.pid ?? 0) - before.cpuMs;
    const [pid] = fs
      .readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
      .split(' ');
    return {
      cpuMsPerSecond: cpuMs / seconds,
      pssMiB: pssMiB(Number(pid)),
      bytesPerTick: (frameBytes(place) - before.bytes) / seconds,
    };
  } finally {
    // nsenter passes no signal on: the pid that the sampler knows is that of the namespace.
    const pid = fs.readFileSync(path.join(place, 'pid'), 'utf8').trim();
    spawn('nsenter', ['-t', String(at.session), '-p', '-m', 'kill', pid], { stdio: 'ignore' });
    await once(child, 'exit');
    await account.close();
  }
}

/** As if no other process ran the same program. */
function pssMiB(pid: number): number {
  const program = fs.readlinkSync(`/proc/${pid}/exe`);
  const mappings = fs.readFileSync(`/proc/${pid}/smaps`, 'utf8').split(/^(?=[\da-f]+-)/m);
  const kib = mappings.map((mapping) => {
    const isProgram = mapping.split('\n', 1)[0]?.endsWith(program) === true;
    return Number((isProgram ? /^Rss: +(\d+)/m : /^Pss: +(\d+)/m).exec(mapping)?.[1]);
  });
  return kib.reduce((sum, each) => sum + each, 0) / 1024;
}

function frameBytes(place: string): number {
  const names = fs.readdirSync(place).filter((name) => name.startsWith('frames.'));
  return names.reduce((sum, name) => sum + fs.statSync(path.join(place, name)).size, 0);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
