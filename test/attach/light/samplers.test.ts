import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { provideDebianPrograms } from '../../../scripts/setup/debian-programs.mjs';
import { recordingOfFrames } from '../../../src/attach/light/light-recording.ts';
import * as scripts from '../../../src/attach/light/light-scripts.ts';
import { perlSampler } from '../../../src/attach/light/perl-sampler.ts';
import { shellSampler } from '../../../src/attach/light/shell-sampler.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { lightHead } from '../../support/light-frames.ts';

const patience = { timeout: 90_000, interval: 100 };
const packages = await provideDebianPrograms([{ program: 'busybox', package: 'busybox-static' }]);
const busybox = packages.get('busybox') ?? { reason: 'no busybox' };
if ('reason' in busybox) console.error(`TESTS ARE SKIPPED: ${busybox.reason}`);

const folder = temporaryFolder();
const children: ChildProcess[] = [];
// The name of a process is that of its program, and a file may have any name.
const names = ['a) R 1 (b', ')))) Z 9 9', 'x\n1 (y) S 0', '\nE 1 9 -\n-1\n', '1 S 0 1 2 3 4'];
const shown = [
  'a) R 1 (b',
  ')))) Z 9 9',
  'x\\x0a1 (y) S 0',
  '\\x0aE 1 9 -\\x0a-1\\x0a',
  '1 S 0 1 2 3 4',
];
let sleepers: ChildProcess[] = [];

function start(command: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env, stdio: 'ignore' });
  children.push(child);
  return child;
}

beforeAll(async () => {
  fs.mkdirSync(folder.file('bin'));
  sleepers = names.map((name) => {
    fs.copyFileSync('/usr/bin/sleep', folder.file(`bin/${name}`));
    return start([folder.file(`bin/${name}`), '1000']);
  });
  // Processes come and go all the time.
  start(['sh', '-c', 'while :; do sleep 0.05; done']);
  if ('path' in busybox) {
    fs.mkdirSync(folder.file('box'));
    for (const applet of 'grep tr cat mv rm ls wc expr sleep mkfifo gzip busybox'.split(' ')) {
      fs.symlinkSync(busybox.path, folder.file(`box/${applet}`));
    }
  }
  await Promise.all(sleepers.map((child) => child.pid ?? once(child, 'spawn')));
});

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  folder[Symbol.dispose]();
});

interface Sampler {
  command: readonly string[];
  isPerl: boolean;
  env?: NodeJS.ProcessEnv;
  files?: number;
}

const bare = { PATH: folder.file('box') };
const samplers: [string, Sampler][] = [
  ['perl', { command: ['perl'], isPerl: true }],
  ['perl, with fewer descriptors than processes', { command: ['perl'], isPerl: true, files: 20 }],
  ['dash', { command: ['dash'], isPerl: false }],
  ['bash', { command: ['bash'], isPerl: false }],
  [
    'busybox, and nothing else',
    { command: [folder.file('box/busybox'), 'sh'], isPerl: false, env: bare },
  ],
];
const isHere = ([name]: [string, Sampler]) => !(name.startsWith('busybox') && 'reason' in busybox);

let runs = 0;

/** Starts a sampler in its place; a second one there goes on with it. */
function sample(
  { command, isPerl, env, files = 1_024 }: Sampler,
  place = folder.file(`s${runs++}`),
) {
  const program = path.join(place, isPerl ? 'light.pl' : 'light.sh');
  if (!fs.existsSync(place)) fs.mkdirSync(place);
  fs.writeFileSync(program, isPerl ? perlSampler : shellSampler);
  const head = JSON.stringify({
    ...lightHead,
    sampler: isPerl ? 'perl' : 'shell',
    intervalMs: 200,
  });
  fs.writeFileSync(path.join(place, 'head.json'), `${head}\n`);
  fs.writeFileSync(path.join(place, 'files'), '');
  const args = [program, place, '0.2', '228', String(files), String(2 ** 25), '28'];
  const child = start([...command, ...args], env);
  return { place, child, frames: () => frameCount(place) };
}

const frameFiles = (place: string) =>
  fs
    .readdirSync(place)
    .filter((name) => name.startsWith('frames.'))
    .sort();

function frameCount(place: string): number {
  const last = frameFiles(place).at(-1);
  if (last === undefined || last.endsWith('.gz')) return 0;
  return fs.readFileSync(path.join(place, last), 'latin1').match(/^E \d+ \d+ /gm)?.length ?? 0;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}

/** What a pull makes of a place. */
async function recordingOf(place: string): Promise<string> {
  const copy = path.join(place, 'copy');
  const child = start(['sh', '-c', scripts.copyFramesScript, 'sh', place, copy]);
  expect(await once(child, 'exit')).toEqual([0, null]);
  const out = `${place}.db`;
  await recordingOfFrames(copy, out);
  return out;
}

test('the perl of the sampler is strict and without a warning', async () => {
  // A locale that is not there would be a warning as well.
  const env = { ...process.env, LC_ALL: 'C' };
  const args = ['-Mstrict', '-wc', '-'];
  const child = spawn('perl', args, { env, stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(perlSampler);
  expect(await text(child.stderr)).toBe('- syntax OK\n');
});

test('no sampler needs awk: that of Ubuntu, mawk, ends when a process does while it is read', () => {
  for (const script of [perlSampler, shellSampler, ...Object.values(scripts)]) {
    expect(script).not.toMatch(/awk/);
  }
});

describe.each(samplers.filter(isHere))('the light sampler for %s', (_, sampler) => {
  test('sees every process under its own name, whatever comes and goes, and ends on TERM', async () => {
    const { place, child, frames } = sample(sampler);
    await vi.waitFor(() => expect(frames()).toBeGreaterThan(3), patience);
    await end(child);
    const state = JSON.parse(fs.readFileSync(path.join(place, 'state.json'), 'utf8'));
    expect(state).toMatchObject({ pid: child.pid, isOver: true });
    const out = await recordingOf(place);
    expect(fs.statSync(out).mode & 0o777).toBe(0o600);
    const recording = openRecording(out);
    const { facts } = recording;
    const ours = recording.processes().filter(({ pid }) => pids().includes(pid));
    recording.close();
    expect(facts).toMatchObject({ source: 'vm', labels: lightHead.labels, endReason: 'signal' });
    const total = /^MemTotal: +(\d+)/m.exec(fs.readFileSync('/proc/meminfo', 'utf8'))?.[1];
    expect(facts.machine.memoryTotalBytes).toBe(Number(total) * 1024);
    expect(ours.map(({ pid, comm }) => ({ pid, comm })).sort(byPid)).toEqual(
      pids()
        .map((pid, at) => ({ pid, comm: shown[at] }))
        .sort(byPid),
    );
    for (const { pid, startTicks, parentPid } of ours) {
      expect({ startTicks, parentPid }).toEqual({
        startTicks: startOf(pid),
        parentPid: process.pid,
      });
    }
  });
});

describe.each(samplers.filter(([name]) => name === 'perl' || name === 'dash'))(
  '%s',
  (_, sampler) => {
    test('killed, goes on in the next file, within the room it has; what was written is there', async () => {
      const place = folder.file(`killed-${sampler.command[0]}`);
      fs.mkdirSync(place);
      // Too much for it; and no frames, as of a file that was left half packed.
      for (const number of [1, 2, 3]) {
        fs.writeFileSync(path.join(place, `frames.0000000${number}.gz`), Buffer.alloc(15 << 20));
      }
      const first = sample(sampler, place);
      await vi.waitFor(() => expect(first.frames()).toBeGreaterThan(2), patience);
      expect(frameFiles(place)).toEqual(['frames.00000003.gz', 'frames.00000004']);
      const second = sample(sampler, place);
      // One at a time: it sees the lock and ends.
      expect(await once(second.child, 'exit')).toEqual([0, null]);
      const killed = once(first.child, 'exit');
      first.child.kill('SIGKILL');
      await killed;
      const written = frameCount(place);
      const third = sample(sampler, place);
      const packed = ['frames.00000003.gz', 'frames.00000004.gz', 'frames.00000005'];
      await vi.waitFor(() => {
        expect(frameFiles(place)).toEqual(packed);
        expect(third.frames()).toBeGreaterThan(2);
      }, patience);
      await end(third.child);
      const out = await recordingOf(place);
      const recording = openRecording(out);
      const { facts } = recording;
      const tickCount = recording.tickCount();
      recording.close();
      expect(tickCount).toBe(written + frameCount(place));
      expect(facts.id).toBe(lightHead.sessionId);
    });
  },
);

function pids(): number[] {
  return sleepers.map(({ pid }) => pid ?? 0);
}

function byPid(a: { pid: number }, b: { pid: number }): number {
  return a.pid - b.pid;
}

/** By the kernel itself; no name of ours has this many fields behind its last parenthesis. */
function startOf(pid: number): number {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}
