import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'headroom-demo-'));
  file = path.join(folder, 'demo.db');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a Chromium is started, recorded, reported on and ended', async () => {
  const { exitCode, stdout, stderr } = await startDemo(['--for', '3s', '--interval', '500ms'])
    .ended;
  expect(stderr).toContain('5 local pages open');
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`headroom report ${file} --format json`);
  expect(leftovers()).toEqual([]);

  using recording = openRecording(file);
  expect(recording.facts).toMatchObject({ labels: { workload: 'demo' }, endReason: 'duration' });
  const roles = recording.processes().map(({ role }) => role);
  expect(roles).toContain('browser');
  // Five tabs and the frame of another site.
  expect(roles.filter((role) => role === 'renderer').length).toBeGreaterThanOrEqual(6);
});

test('without a Chromium the machine is recorded, and that is said', async () => {
  const { exitCode, stderr } = await startDemo(['--for', '1s', '--interval', '500ms'], {
    PATH: folder,
    HEADROOM_CHROMIUM: '',
  }).ended;
  expect(stderr).toContain('No Chromium or Chrome here');
  expect(exitCode).toBe(0);
  using recording = openRecording(file);
  expect(recording.tickCount()).toBeGreaterThanOrEqual(1);
});

test('an interrupt ends the recording, and nothing is left behind', async () => {
  const demo = startDemo(['--for', '10m', '--interval', '500ms']);
  while (!existsSync(file)) await delay(100);
  await delay(1_500);
  demo.child.kill('SIGINT');
  const { exitCode, stdout } = await demo.ended;
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`The recording is ${file}`);
  expect(leftovers()).toEqual([]);
  using recording = openRecording(file);
  expect(recording.facts.endReason).toBe('signal');
});

test('a browser that does not start is one clear error', async () => {
  const broken = path.join(folder, 'broken-chromium');
  writeFileSync(broken, '#!/bin/sh\necho "no usable sandbox" >&2\nexit 1\n');
  chmodSync(broken, 0o755);
  const { exitCode, stderr } = await startDemo([], { HEADROOM_CHROMIUM: broken }).ended;
  expect(exitCode).toBe(1);
  expect(stderr).toContain('no usable sandbox');
  expect(stderr).toContain('[COMMAND_FAILED_TO_START]');
  expect(existsSync(file)).toBe(false);
  expect(leftovers()).toEqual([]);
});

/** Starts the demo with everything that it makes below the test's own folder. */
function startDemo(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [main, 'demo', '--out', file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ exitCode: number | null; stdout: string; stderr: string }>(
    (resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
    },
  );
  return { child, ended };
}

/** Profiles that were not removed, and processes that were started with one. */
function leftovers(): string[] {
  const profiles = readdirSync(folder).filter((name) => name.startsWith('headroom-chromium-'));
  const { stdout } = spawnSync('pgrep', ['-f', '--', `--user-data-dir=${folder}`], {
    encoding: 'utf8',
  });
  return [...profiles, ...stdout.split('\n').filter((pid) => pid !== '')];
}
