import fs from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dashboardsCommand } from '../../src/cli/dashboards.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const names = [
  'grafana/fleet-sizing.json',
  'grafana/post-mortem.json',
  'grafana/session-file.json',
  'grafana/session-overview.json',
  'prometheus/headroom-alerts.yml',
  'prometheus/headroom-recording.yml',
  'runbooks/HeadroomExportLoss.md',
  'runbooks/HeadroomMemoryExhaustionPredicted.md',
  'runbooks/HeadroomMemoryLow.md',
  'runbooks/HeadroomMemoryPressure.md',
  'runbooks/HeadroomOomKill.md',
  'runbooks/HeadroomOomKillUnnamed.md',
  'runbooks/HeadroomRecorderStalled.md',
  'runbooks/HeadroomThrashing.md',
  'runbooks/HeadroomTierTooSmall.md',
];

test('writes dashboards, rules and runbooks, and says which', async () => {
  const out = folder.file('new');
  expect(await run('--out', out)).toBe(names.map((name) => `${path.join(out, name)}\n`).join(''));
  expect(filesIn(out)).toEqual(names);
  const dashboard = JSON.parse(read(out, 'grafana/session-overview.json'));
  expect(dashboard.title).toBe('Headroom: session overview');
});

test('--json says what each file is', async () => {
  const out = folder.file('new');
  const { files, ...rest } = JSON.parse(await run('--out', out, '--json'));
  expect(rest).toEqual({ schemaVersion: 1, folder: out });
  expect(files).toHaveLength(names.length);
  expect(files).toContainEqual({ path: path.join(out, names[0] ?? ''), kind: 'dashboard' });
  expect(files).toContainEqual({
    path: path.join(out, 'prometheus/headroom-alerts.yml'),
    kind: 'rules',
  });
});

test('a file that differs is replaced with --force only, and named; what else is there stays', async () => {
  const out = folder.file('new');
  await run('--out', out);
  await run('--out', out);
  const changed = [names[0] ?? '', names[7] ?? ''];
  for (const name of changed) fs.writeFileSync(path.join(out, name), 'mine');
  fs.writeFileSync(path.join(out, 'grafana', 'mine.json'), '{}');
  fs.rmSync(path.join(out, names[1] ?? ''));
  const paths = changed.map((name) => path.join(out, name));
  await expect(run('--out', out)).rejects.toMatchObject({
    code: 'FILE_EXISTS',
    message: `${paths.join(', ')}: there already, and different from what would be written`,
  });
  expect(changed.map((name) => read(out, name))).toEqual(['mine', 'mine']);
  expect(filesIn(out)).not.toContain(names[1]);

  const { stderr } = await runWhole('--out', out, '--force');
  expect(stderr).toContain(paths.map((file) => `replaced, it differed: ${file}\n`).join(''));
  expect(read(out, names[0] ?? '')).toContain('"title": "Headroom: fleet sizing"');
  expect(filesIn(out)).toEqual([...names, 'grafana/mine.json'].sort());
});

test('where it says how to use them, that is', async () => {
  const { stderr } = await runWhole('--out', folder.path);
  const manual = /^What to do with them: (.+)\n$/.exec(stderr)?.[1] ?? '';
  expect(fs.readFileSync(manual, 'utf8')).toMatch(/^# Grafana\n/);
});

test.each([
  [[], 'runbooks/HeadroomOomKill.md'],
  [['--runbooks', 'https://wiki.example.com/$&'], 'https://wiki.example.com/$&/HeadroomOomKill.md'],
  [['--runbooks', 'http://wiki/books/'], 'http://wiki/books/HeadroomOomKill.md'],
])('alerts name their runbooks: %j', async (args, address) => {
  await run('--out', folder.path, ...args);
  const rules = read(folder.path, 'prometheus/headroom-alerts.yml');
  expect(rules).toContain(`runbook_url: ${address}\n`);
  expect(rules.match(/runbook_url: /g)).toHaveLength(9);
});

test.each([['ftp://wiki'], ['wiki'], ['https://wiki/#books'], ['https://wiki/a b']])(
  '--runbooks %s is no address',
  async (url) => {
    const call = run('--out', folder.path, '--runbooks', url);
    await expect(call).rejects.toThrow(/^--runbooks: ".*" is no http or https address$/);
  },
);

test('an argument that is no flag is refused', async () => {
  await expect(run(folder.path)).rejects.toThrow(/the folder is given with --out/);
});

test('a folder that cannot be made', async () => {
  fs.writeFileSync(folder.file('file'), '');
  for (const out of [folder.file('no/such/folder'), folder.file('file')]) {
    await expect(run('--out', out)).rejects.toMatchObject({ code: 'FILE_NOT_WRITABLE' });
  }
});

async function run(...args: string[]): Promise<string> {
  return (await runWhole(...args)).stdout;
}

async function runWhole(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const io = { stdout, stderr, env: {}, signal, hurry: signal };
  expect(await dashboardsCommand.run(parseArguments(dashboardsCommand, args), io)).toBe(0);
  return { stdout: String(stdout.read()), stderr: String(stderr.read()) };
}

function filesIn(root: string): string[] {
  return fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.statSync(path.join(root, name)).isFile())
    .sort();
}

function read(root: string, name: string): string {
  return fs.readFileSync(path.join(root, name), 'utf8');
}
