import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prebuildFolder } from '../../scripts/setup/sqlite-addon.mjs';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'headroom-package-'));
const home = path.join(folder, 'home');

let tarball: string;

beforeAll(async () => {
  await run('npm', ['pack', '--pack-destination', folder], { cwd: project, env: userEnv() });
  const packed = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  expect(packed).toHaveLength(1);
  tarball = path.join(folder, packed[0] ?? '');
  mkdirSync(home);
  await run('npm', ['install', '--prefer-offline', tarball], { cwd: home, env: userEnv() });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the packed tarball', () => {
  test('has the program, its types and its documents, and nothing else', async () => {
    const files = (await run('tar', ['-tzf', tarball])).stdout.trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining([
        'package/package.json',
        'package/README.md',
        'package/LICENSE',
        'package/CHANGELOG.md',
        'package/dist/index.js',
        'package/dist/index.d.ts',
        'package/dist/cli/headroom.cjs',
        'package/docs/errors.md',
      ]),
    );
    const known =
      /^package\/(package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/.*|docs\/.*|dashboards\/generated\/.*)$/;
    expect(files.filter((file) => !known.test(file))).toEqual([]);
    expect(files.filter((file) => /\/(test|fixtures)\/|\.test\./.test(file))).toEqual([]);
  });

  test('holds no path of this machine', async () => {
    const options = { maxBuffer: 64 * 2 ** 20 };
    const { stdout } = await run('tar', ['-xzOf', tarball], options);
    for (const machinePath of [project, homedir()]) {
      expect(stdout).not.toContain(machinePath.replace(/\/?$/, '/'));
    }
  });

  test('is a well-formed package', async () => {
    const publint = path.join(project, 'node_modules', '.bin', 'publint');
    const { stdout } = await run(publint, ['run', tarball, '--strict']);
    expect(stdout).toContain('All good!');
  });
});

describe('installed into an empty folder', () => {
  test('headroom --help tells what it can do', async () => {
    const { stdout } = await headroom('--help');
    for (const command of ['record', 'report', 'export', 'demo']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    }
  });

  test('records this machine and reports on it; a program has the same of the library', async () => {
    await headroom('record', '--for', '2s', '--interval', '500ms', '--out', 'x.db');
    const report = JSON.parse((await headroom('report', 'x.db', '--format', 'json')).stdout);
    expect(report.schemaVersion).toBe(1);
    expect(report.session).toMatchObject({ source: 'local', endReason: 'duration' });
    expect(report.coverage.samples).toBeGreaterThanOrEqual(2);
    expect(report.memory.workingSetBytes.max).toBeGreaterThan(0);
    const program = `import { analyse, size } from 'headroom';
      console.log(JSON.stringify([analyse('x.db'), size(['x.db'])]));`;
    const node = ['--input-type=module', '--eval', program];
    const { stdout } = await run(process.execPath, node, { cwd: home });
    expect(JSON.parse(stdout)).toEqual([
      report,
      expect.objectContaining({ sessions: 1, censored: 0, skipped: [] }),
    ]);
  });

  test('the query in the README works in the sqlite3 shell', async () => {
    const readme = readFileSync(path.join(project, 'README.md'), 'utf8');
    const [, query] = /^sqlite3 -box task\.db '([^']+)'$/m.exec(readme) ?? [];
    expect(query).toBeDefined();
    await headroom('record', '--for', '1s', '--interval', '500ms', '--out', 'shell.db');
    const file = path.join(home, 'shell.db');
    const { stdout } = await run('sqlite3', ['-json', file, query ?? '']);
    for (const row of JSON.parse(stdout)) expect(row.working_set_bytes).toBeGreaterThan(0);
  });

  test('can be imported, with one file of public names', async () => {
    const script = "import('headroom').then((api) => console.log(Object.keys(api).join()))";
    const { stdout } = await run(process.execPath, ['-e', script], { cwd: home });
    expect(stdout).toContain('HeadroomError');
  });
});

function headroom(...args: string[]) {
  return run('npx', ['headroom', ...args], { cwd: home, env: userEnv() });
}

/**
 * The environment of a user: npm is not told of the project that runs the tests. The SQLite addon
 * comes from the same cache as in the set-up, else this test would compile it.
 */
function userEnv(): NodeJS.ProcessEnv {
  const { npm_config_local_prefix: _, ...env } = process.env;
  return { ...env, npm_config_better_sqlite3_local_prebuilds: prebuildFolder() };
}
