import fs from 'node:fs';
import { errnoOf } from '../model/errors.ts';
import { makeFolders } from '../store/make-folders.ts';
import { outputError } from './output-file.ts';

/** Folders that a command makes for its files; those that stayed empty are taken away at its end. */
export class OutputFolders {
  /** Each after the one that it is in. */
  readonly #made: string[] = [];

  /** With all that is above it; {@link OutputError}. */
  make(folder: string): void {
    try {
      makeFolders(folder, this.#made);
    } catch (error) {
      throw outputError(error, folder);
    }
  }

  [Symbol.dispose](): void {
    for (const folder of this.#made.reverse()) removeEmpty(folder);
  }
}

function removeEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    // There is something in it, or somebody else took it away.
    if (errnoOf(error) === null) throw error;
  }
}
