import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { errnoOf } from '../model/errors.ts';
import { collectorFailure, runScript, type SessionCollector } from './session-collector.ts';
import { prepareScript } from './session-scripts.ts';

/**
 * Puts the collector's one file into a session, and where its Node.js has no good SQLite the addon of
 * this installation beside it, when that is made for the same Node.js and machine. What then works is
 * tried in the session itself. COLLECTOR_FAILED says what is missing.
 */
export async function putCollector(collector: SessionCollector, nodePath: string): Promise<void> {
  const { session, files } = collector;
  await runScript(session, [prepareScript]);
  await session.writeFile(files.program, fs.readFileSync(bundleFile()));
  const first = await collector.ask(nodePath, 'check');
  if (first['problem'] === null) return;
  const isSame = ['platform', 'arch'].every((key) => first[key] === Reflect.get(process, key));
  const addon = isSame && first['modules'] === process.versions.modules ? addonFiles() : null;
  const remedy = 'give a Node.js of the session that has SQLite 3.51.3 or later with --node PATH';
  if (addon === null) {
    throw collectorFailure(session, `Node.js ${first['node']} has no SQLite; ${remedy}`);
  }
  for (const [name, content] of addon) await session.writeFile(`${files.addon}/${name}`, content);
  const { problem } = await collector.ask(nodePath, 'check');
  if (problem !== null) throw collectorFailure(session, `${problem}; ${remedy}`);
}

/** One file when the package is built: all modules are in it. */
function bundleFile(): string {
  return fileURLToPath(new URL('../cli/attach/collector-main.cjs', import.meta.url));
}

const require = createRequire(import.meta.url);

// better-sqlite3 asks this package where its addon is.
const bindings = `const folder = '../better-sqlite3/build/Release/';
module.exports = (name) => require(folder + name);
`;

/** The optional package as far as it is needed to run; null where it is not installed. */
function addonFiles(): [string, Uint8Array][] | null {
  try {
    const folder = path.dirname(require.resolve('better-sqlite3/package.json'));
    const listed = fs.readdirSync(path.join(folder, 'lib'), { recursive: true, encoding: 'utf8' });
    const names = [
      'package.json',
      'build/Release/better_sqlite3.node',
      ...listed.filter((name) => name.endsWith('.js')).map((name) => path.join('lib', name)),
    ];
    return [
      ['bindings/index.js', Buffer.from(bindings)],
      ...names.map((name): [string, Uint8Array] => [
        `better-sqlite3/${name}`,
        fs.readFileSync(path.join(folder, name)),
      ]),
    ];
  } catch (error) {
    if (!['ENOENT', 'MODULE_NOT_FOUND'].includes(errnoOf(error) ?? '')) throw error;
    return null;
  }
}
