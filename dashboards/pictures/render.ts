// Draws a dashboard of real recordings into docs/images; the first is the session that is shown:
// npm run pictures -- session-overview task.db …
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { thisMachine } from '../../scripts/setup/debian-packages.mjs';
import { findChromium } from '../../src/host/browser/find-chromium.ts';
import { openRecording } from '../../src/store/reader.ts';
import { readDashboard } from '../../test/support/grafana-dashboard.ts';
import type { Drawn } from './page/drawn.ts';
import { fileResults, metricResults, type TimeSpan } from './results.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const images = fileURLToPath(new URL('../../docs/images', import.meta.url));
// Grafana's parts are 450 MB: outside of the project, once for all its clones.
const parts = path.join(os.homedir(), '.cache', 'headroom', 'grafana-parts');
const width = 1440;
// What Grafana's global styles say.
const head = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="page.css">
<style>
* { box-sizing: border-box }
body { margin: 0; color: #ccccdc; font-family: Inter, Helvetica, Arial, sans-serif }
button { color: inherit; font: inherit; border: 0; background: none }
::-webkit-scrollbar { display: none }
</style><body>`;

const [name = '', ...files] = process.argv.slice(2);
if (files.length === 0) throw new Error('which dashboard, of which recordings?');
const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-picture-'));
try {
  // An export writes its position into the file.
  const copies = files.map((_, at) => path.join(folder, `${at}.db`));
  files.forEach((file, at) => {
    copyFileSync(file, copies[at] ?? '');
  });
  mkdirSync(images, { recursive: true });
  draw(await drawnOf(copies), path.join(images, `${name}.png`));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function drawnOf(copies: readonly string[]): Promise<Drawn> {
  const dashboard = readDashboard(name);
  const facts = copies.map((file) => {
    using recording = openRecording(file);
    return recording.facts;
  });
  const range: TimeSpan = {
    fromUnixMs: Math.min(...facts.map(({ startedUnixMs }) => startedUnixMs)),
    toUnixMs: Math.max(...facts.map(({ endedUnixMs }) => endedUnixMs ?? 0)),
  };
  const session = facts[0]?.id ?? '';
  const results =
    dashboard.templating.list[0]?.query === 'prometheus'
      ? await metricResults(dashboard, { files: copies, session, range })
      : fileResults(dashboard, { file: copies[0] ?? '', range });
  const subtitle = copies.length > 1 ? `${copies.length} sessions` : `Session ${session}`;
  return { dashboard, ...results, ...range, subtitle };
}

function draw(drawn: Drawn, picture: string): void {
  installParts();
  const packages = path.join(parts, 'node_modules');
  run(path.join(packages, '.bin/esbuild'), [
    path.join(here, 'page/page.tsx'),
    '--bundle',
    '--jsx=automatic',
    '--define:process.env.NODE_ENV="production"',
    '--loader:.svg=dataurl',
    '--loader:.ttf=empty',
    // Its ESM build takes the default exports of CommonJS packages for what they are not.
    `--alias:@grafana/ui=${packages}/@grafana/ui/dist/cjs/index.cjs`,
    `--outfile=${folder}/page.js`,
  ]);
  const data = JSON.stringify(drawn).replaceAll('<', '\\u003c');
  const page = path.join(folder, 'page.html');
  writeFileSync(
    page,
    `${head}<script>window.drawn=${data}</script><script src="page.js"></script>`,
  );
  const rows = Math.max(...drawn.dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  run(findChromium() ?? 'chromium', [
    '--headless=new',
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-gpu',
    '--hide-scrollbars',
    `--user-data-dir=${folder}/profile`,
    `--window-size=${width},${64 + rows * 38 + 8}`,
    '--virtual-time-budget=20000',
    `--screenshot=${picture}`,
    `file://${page}`,
  ]);
  // A quarter of the size, and no difference to be seen.
  if (thisMachine.findProgram('pngquant') === null)
    console.error('without pngquant it stays large');
  else run('pngquant', ['--force', '--output', picture, '64', picture]);
  console.log(path.relative(process.cwd(), picture));
}

function installParts(): void {
  if (existsSync(path.join(parts, 'node_modules'))) return;
  mkdirSync(parts, { recursive: true });
  copyFileSync(path.join(here, 'package.json'), path.join(parts, 'package.json'));
  run('npm', ['install', '--prefix', parts, '--ignore-scripts']);
}

function run(program: string, args: readonly string[]): void {
  const env = { ...process.env, NODE_PATH: path.join(parts, 'node_modules') };
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`);
}
