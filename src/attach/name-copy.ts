import fs from 'node:fs';
import { carryCursors } from '../store/export-cursor.ts';
import { sealFile } from '../store/seal/seal-file.ts';

/** Puts a checked copy into the place of an earlier one; whoever exports them goes on where it was. */
export function nameCopy(copy: string, out: string): void {
  if (fs.existsSync(out) && carryCursors(out, copy)) sealFile(copy);
  fs.renameSync(copy, out);
}
