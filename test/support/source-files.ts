import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Every TypeScript file below a folder: path relative to its parent, with `/`, and content. */
export function readSources(folder: string): Map<string, string> {
  const sources = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.c?ts$/.test(entry.name)) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(path.dirname(folder), file).split(path.sep).join('/');
    sources.set(name, readFileSync(file, 'utf8'));
  }
  return sources;
}
