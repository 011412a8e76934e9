import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { provideNode22 } from '../../scripts/setup/node-22.mjs';
import { headroomMain, runCli, temporaryFolder } from '../support/headroom-cli.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder();
let node = '';
let reason = '';

beforeAll(async () => {
  const found = await provideNode22();
  if ('path' in found) node = found.path;
  else reason = found.reason;
});

beforeEach(({ skip }) => {
  if (node !== '') return;
  console.warn(`skipped, WITHOUT NODE.JS 22: ${reason}`);
  skip();
});

afterAll(() => folder[Symbol.dispose]());

// A second test runner, which on a loaded machine takes its time.
const unhurried = { timeout: 600_000 };

test('the suite of the drivers passes with node:sqlite', unhurried, async () => {
  const report = folder.file('report.json');
  const names = ['driver', 'open-for-writing', 'writer', 'retention'];
  const files = names.map((name) => `test/store/${name}`);
  const { stdout } = await run(
    node,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project=unit',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...files,
    ],
    { cwd: project, env: { ...freshEnv(), HEADROOM_SQLITE_DRIVER: 'node:sqlite' } },
  );
  expect(stdout).toMatch(/driver: node:sqlite, Node\.js 22\./);
  const { success, numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
  expect({ success, numFailedTests }).toEqual({ success: true, numFailedTests: 0 });
  expect(numPassedTests).toBeGreaterThan(60);
});

describe('the program on Node.js 22, where the addon does not load', () => {
  test('records and reports without a word of its own', async () => {
    const file = folder.file('a.db');
    const recorded = await headroom('record', '--for', '2s', '--interval', '500ms', '--out', file);
    expect(recorded.stderr).not.toMatch(/warning/i);
    const report = await headroom('report', file, '--format', 'json');
    expect(report.stderr).toBe('');
    const { session, coverage, memory } = JSON.parse(report.stdout);
    expect(session).toMatchObject({ source: 'local', endReason: 'duration' });
    expect(coverage.samples).toBeGreaterThanOrEqual(2);
    expect(memory.workingSetBytes.max).toBeGreaterThan(0);
  });

  test('a file of either is the same to the other', async () => {
    const ours = folder.file('ours.db');
    const args = ['--for', '1s', '--interval', '250ms'];
    expect((await runCli('record', ...args, '--out', ours)).exitCode).toBe(0);
    const theirs = folder.file('theirs.db');
    await headroom('record', ...args, '--out', theirs);
    for (const file of [ours, theirs]) {
      const read = await runCli('report', file, '--format', 'json');
      expect(JSON.parse((await headroom('report', file, '--format', 'json')).stdout)).toEqual(
        JSON.parse(read.stdout),
      );
    }
  });

  test('doctor says what files are opened with', async () => {
    const { stdout } = await headroom('doctor', '--json');
    expect(JSON.parse(stdout).store).toEqual({
      driver: 'node:sqlite',
      sqliteVersion: expect.stringMatching(/^3\.\d+\.\d+$/),
      problem: null,
    });
    const forced = { ...freshEnv(), HEADROOM_SQLITE_DRIVER: 'better-sqlite3' };
    const asked = await run(node, [headroomMain, 'doctor', '--json'], { env: forced });
    expect(JSON.parse(asked.stdout).store).toMatchObject({
      driver: 'better-sqlite3',
      sqliteVersion: null,
      problem: expect.stringContaining('cannot be loaded'),
    });
  });
});

function headroom(...args: string[]) {
  return run(node, [headroomMain, ...args], { env: freshEnv() });
}

/** Nothing in it says that a test runs it. */
function freshEnv(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_/.test(name));
  return Object.fromEntries(own);
}
