import type { PageFile } from './page-file.ts';

/**
 * The pages that hold nothing any more (sqlite.org/fileformat2.html, "The Freelist"), as far as
 * their list can be read; old rows may still be in them.
 */
export function freePages(file: PageFile): Set<number> {
  const free = new Set<number>();
  for (let trunk = file.header?.firstFreelistPage ?? 0; trunk > 0 && !free.has(trunk); ) {
    const page = file.page(trunk);
    if (page === null) break;
    free.add(trunk);
    const leafCount = Math.min(page.readUInt32BE(4), Math.floor(file.usableBytes / 4) - 2);
    for (let leaf = 0; leaf < leafCount; leaf++) free.add(page.readUInt32BE(8 + 4 * leaf));
    trunk = page.readUInt32BE(0);
  }
  return free;
}
