import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../model/errors.ts';

/**
 * The files that arguments stand for: a folder for every `.db` right in it, by name; anything else for
 * itself, also where there is no such file: whoever opens it says so. Each once.
 */
export function recordingFiles(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((one) => filesIn(one) ?? [one]))];
}

/** Null for what is no folder, or cannot be listed. */
function filesIn(folder: string): string[] | null {
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => name.endsWith('.db'))
      .sort()
      .map((name) => path.join(folder, name));
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}
