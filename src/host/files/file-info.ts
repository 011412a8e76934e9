import type fs from 'node:fs';

export interface FileInfo {
  name: string;
  path: string;
  size_bytes: number;
  is_dir: boolean;
  /** RFC 3339. */
  mod_time: string;
  /** `-rw-r--r--` */
  mode: string;
}

/** What the API tells of a file; a link is told as a link. */
export function fileInfo(stats: fs.Stats, name: string, path: string): FileInfo {
  return {
    name,
    path,
    size_bytes: stats.isDirectory() ? 0 : stats.size,
    is_dir: stats.isDirectory(),
    mod_time: stats.mtime.toISOString(),
    mode: modeText(stats),
  };
}

function modeText(stats: fs.Stats): string {
  return typeLetter(stats) + [6, 3, 0].map((shift) => rights((stats.mode >> shift) & 7)).join('');
}

function typeLetter(stats: fs.Stats): string {
  if (stats.isDirectory()) return 'd';
  if (stats.isSymbolicLink()) return 'L';
  if (stats.isFIFO()) return 'p';
  if (stats.isSocket()) return 'S';
  return stats.isFile() ? '-' : 'D';
}

function rights(bits: number): string {
  return `${bits & 4 ? 'r' : '-'}${bits & 2 ? 'w' : '-'}${bits & 1 ? 'x' : '-'}`;
}
