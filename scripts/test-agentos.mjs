// npm run test:agentos: all set-up, then attachAgentOs against the real @rivet-dev/agentos-core, which is
// installed into the cache folder (1.2 GB) and never becomes part of this package.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from './setup/cache-folder.mjs';
import { runInFront } from './setup/run-command.mjs';
import { runScript, setUp } from './setup/set-up.mjs';

const version = '0.2.21';

await runScript(async () => {
  await setUp({ forTests: false });
  const folder = process.env['AGENTOS_FOLDER'] ?? cacheFolder(`agentos-${version}`);
  const code = await install(folder);
  if (code !== 0) return code;
  return runInFront(process.execPath, ['--import', 'tsx', 'test/real/agentos.ts', folder]);
});

/** @param {string} folder */
async function install(folder) {
  if (existsSync(path.join(folder, 'node_modules/@rivet-dev/agentos-core/package.json'))) return 0;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  console.log(`installing @rivet-dev/agentos-core ${version} into ${folder} (1.2 GB)`);
  return await runInFront('npm', [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `@rivet-dev/agentos-core@${version}`,
  ]);
}
