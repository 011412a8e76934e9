import path from 'node:path';
import { sourceImports } from './source-imports.ts';

/** Every package that is loaded with these files, over all files that they import statically. */
export function loadedPackages(
  sources: ReadonlyMap<string, string>,
  entries: readonly string[],
): Set<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const source = sources.get(file);
    if (source === undefined) throw new Error(`${file} is imported and does not exist`);
    for (const { specifier, kind } of sourceImports(source)) {
      if (kind !== 'static' || specifier.startsWith('node:')) continue;
      if (specifier.startsWith('.')) {
        waiting.push(path.posix.join(path.posix.dirname(file), specifier));
      } else {
        packages.add(specifier);
      }
    }
  }
  return packages;
}
