import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../model/errors.ts';

/**
 * Makes a folder with all that is above it. What it made is added to `made` and given, each after the
 * one that it is in. Throws what the system says, also where there is a file instead.
 */
export function makeFolders(folder: string, made: string[] = []): readonly string[] {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !fs.existsSync(at); at = path.dirname(at)) missing.push(at);
  // Not `recursive`: Node.js 20 goes round for ever where a folder cannot be made, as below /proc.
  for (const each of missing.reverse()) if (makeOne(each)) made.push(each);
  // ENOTDIR of a file.
  fs.statSync(`${path.resolve(folder)}/.`);
  return made;
}

/** False where somebody else was faster. */
function makeOne(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return false;
  }
}
