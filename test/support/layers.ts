import path from 'node:path';
import { sourceImports, withoutComments } from './source-imports.ts';

/**
 * Which folder of src may import which folder, or which single file of one. A new top folder is
 * added here and to docs/architecture.md.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  model: [],
  collector: ['model'],
  store: ['model'],
  exporter: ['model', 'store/reader', 'store/export-cursor'],
  agentos: ['model', 'collector', 'store'],
  analysis: ['model', 'store/reader'],
  report: ['model', 'analysis'],
  session: ['model'],
  attach: ['model', 'session', 'collector', 'store'],
  host: ['model', 'session'],
  cli: [
    'model',
    'session',
    'agentos',
    'attach',
    'host',
    'collector',
    'store',
    'exporter',
    'analysis',
    'report',
  ],
};

/** Packages that only one place may import, by prefix of the path. */
const packageHomes: Readonly<Record<string, string>> = {
  'better-sqlite3': 'src/store/',
  '@opentelemetry/': 'src/exporter/',
  hyparquet: 'src/exporter/file/parquet/',
  systeminformation: 'src/collector/portable/',
  '@fastify/busboy': 'src/host/',
  '@lydell/node-pty': 'src/host/',
  fflate: 'src/host/',
  pidusage: 'src/collector/portable/',
  ws: 'src/collector/pages/',
  uplot: 'src/report/page/client/',
};

/**
 * Who reads /proc: the collector through one file, and the store for two questions, whether the
 * recorder that holds a file still runs, and where its own file was moved to. In a session a shell asks the same, by a script.
 */
const procReaders = [
  'src/collector/procfs/proc-fs.ts',
  'src/store/recorder-lock.ts',
  'src/store/present-name.ts',
  'src/attach/session-scripts.ts',
];

const longestFile = 300;

/** Every breach of the layers in a map of path (`src/model/errors.ts`) to content, in words. */
export function layerBreaches(sources: ReadonlyMap<string, string>): string[] {
  return [...sources].flatMap(([file, source]) => [
    ...folderBreaches(file),
    ...importBreaches(file, source),
    ...barrelBreaches(file, source),
    ...procBreaches(file, source),
    ...lengthBreaches(file, source),
  ]);
}

function folderBreaches(file: string): string[] {
  if (file === 'src/index.ts' || layers[layerOf(file)] !== undefined) return [];
  return [`${file}: its folder is not in the table of layers`];
}

function importBreaches(file: string, source: string): string[] {
  return sourceImports(source).flatMap(({ specifier }) => {
    if (specifier.startsWith('node:')) return [];
    const breach = specifier.startsWith('.')
      ? folderImportBreach(file, specifier)
      : packageImportBreach(file, specifier);
    return breach === null ? [] : [`${file}: imports ${specifier}, ${breach}`];
  });
}

function folderImportBreach(file: string, specifier: string): string | null {
  const target = path.posix.join(path.posix.dirname(file), specifier);
  if (!target.startsWith('src/')) return 'outside of src';
  if (file === 'src/index.ts') return null;
  const from = layerOf(file);
  const to = layerOf(target);
  if (from === to) return null;
  const single = target.slice('src/'.length, -'.ts'.length);
  const allowed = layers[from] ?? [];
  if (allowed.includes(to) || allowed.includes(single)) return null;
  return `but ${from} may import only ${allowed.join(', ') || 'itself'}`;
}

function packageImportBreach(file: string, specifier: string): string | null {
  for (const [name, home] of Object.entries(packageHomes)) {
    if (!specifier.startsWith(name)) continue;
    return file.startsWith(home) ? null : `which only ${home} may`;
  }
  return 'a package that no layer is meant to use';
}

function barrelBreaches(file: string, source: string): string[] {
  const isBarrel = /^export\s+(?:type\s+)?(?:\*|\{[^}]*\}\s+from\b)/m.test(withoutComments(source));
  return isBarrel && file !== 'src/index.ts' ? [`${file}: hands on what another file exports`] : [];
}

/** A path below /proc is named by those who read it; elsewhere only the root itself, as a default. */
function procBreaches(file: string, source: string): string[] {
  if (procReaders.includes(file)) return [];
  return /(['"`])\/proc\/[^'"`]*\1/.test(withoutComments(source))
    ? [`${file}: names a file below /proc, which is read elsewhere`]
    : [];
}

function lengthBreaches(file: string, source: string): string[] {
  const lines = source.trimEnd().split('\n').length;
  return lines > longestFile ? [`${file}: ${lines} lines, at most ${longestFile}`] : [];
}

function layerOf(file: string): string {
  return file.split('/')[1] ?? '';
}
