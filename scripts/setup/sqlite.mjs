import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { provideSqliteAddon } from './sqlite-addon.mjs';

/**
 * Something to open recordings with: this Node.js has it, or the addon is brought into place. For the
 * tests always both, as they try the one and the other.
 *
 * @param {string} root With dist/ built: what is good enough, the program decides.
 * @param {{ forTests: boolean }} wants
 * @returns {Promise<string>} What was found or done.
 */
export async function provideSqlite(root, { forTests }) {
  const built = pathToFileURL(path.join(root, 'dist', 'store', 'node-sqlite.js')).href;
  /** @type {typeof import('../../src/store/node-sqlite.ts')} */
  const { nodeSqliteProblem } = await import(built);
  if (!forTests && nodeSqliteProblem() === null) {
    return `${process.versions['sqlite']} of this Node.js`;
  }
  return provideSqliteAddon(root);
}
