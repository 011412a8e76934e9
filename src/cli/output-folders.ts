import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../model/errors.ts';
import { outputError } from './output-file.ts';

/** Folders that a command makes for its files; those that stayed empty are taken away at its end. */
export class OutputFolders {
  /** Each after the one that it is in. */
  readonly #made: string[] = [];

  /** With all that is above it; {@link OutputError}. */
  make(folder: string): void {
    const missing: string[] = [];
    for (let at = path.resolve(folder); !fs.existsSync(at); at = path.dirname(at)) missing.push(at);
    // Not `recursive`: Node.js 20 goes round for ever where a folder cannot be made, as below /proc.
    for (const each of missing.reverse()) this.#makeOne(each, folder);
  }

  [Symbol.dispose](): void {
    for (const folder of this.#made.reverse()) removeEmpty(folder);
  }

  #makeOne(folder: string, asked: string): void {
    try {
      fs.mkdirSync(folder);
      this.#made.push(folder);
    } catch (error) {
      // Another export into the same data set was faster.
      if (errnoOf(error) !== 'EEXIST') throw outputError(error, asked);
    }
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
