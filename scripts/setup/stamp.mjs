import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * One hash over the names and contents of files and of all files below folders. Times do not count,
 * so a fresh clone of the same content has the same hash. A path that does not exist counts as such.
 *
 * @param {string} root
 * @param {readonly string[]} paths Relative to the root.
 * @returns {string}
 */
export function contentHash(root, paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((entry) => filesBelow(root, entry)).sort()) {
    const content = readFileSync(path.join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * What a step wrote down when it last succeeded; null when it never did. Stamps live in
 * node_modules, so that they go when the dependencies go.
 *
 * @param {string} root
 * @param {string} step
 * @returns {string | null}
 */
export function readStamp(root, step) {
  try {
    return readFileSync(stampFile(root, step), 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * @param {string} root
 * @param {string} step
 * @param {string} text
 */
export function writeStamp(root, step, text) {
  const file = stampFile(root, step);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/**
 * @param {string} root
 * @param {string} step
 */
function stampFile(root, step) {
  return path.join(root, 'node_modules', '.headroom', step);
}

/**
 * @param {string} root
 * @param {string} entry
 * @returns {string[]}
 */
function filesBelow(root, entry) {
  const stats = statSync(path.join(root, entry), { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return [entry];
  return readdirSync(path.join(root, entry)).flatMap((name) =>
    filesBelow(root, path.posix.join(entry, name)),
  );
}

/** @param {unknown} error */
function isMissing(error) {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
