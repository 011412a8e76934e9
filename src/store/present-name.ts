import { readdirSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { orNull } from '../model/or-null.ts';

/**
 * The name that a file has now which this process holds open. Null when it has none any more, and
 * where the kernel does not tell (no /proc).
 */
export function presentName({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string | null {
  const folder = '/proc/self/fd';
  for (const descriptor of descriptorsIn(folder)) {
    const name = nameOf(`${folder}/${descriptor}`);
    const found = name?.startsWith('/') ? statOf(name) : undefined;
    if (name !== null && found?.dev === dev && found.ino === ino) return name;
  }
  return null;
}

// Null: closed since, or somewhere that may not be looked at.
const descriptorsIn = (folder: string) => orNull(() => readdirSync(folder)) ?? [];
const nameOf = (link: string) => orNull(() => readlinkSync(link));
const statOf = (name: string) => orNull(() => statSync(name));
