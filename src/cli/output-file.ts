import fs from 'node:fs';
import { errnoOf, HeadroomError } from '../model/errors.ts';
import { temporaryBeside } from '../store/temporary-file.ts';
import { refuseOverwriting } from './overwriting.ts';

/** The output could not be written: nothing else that is to go into it makes sense any more. */
export class OutputError extends HeadroomError {
  constructor(out: string, what: string, cause?: unknown) {
    super('FILE_NOT_WRITABLE', `--out ${out}: ${what}`, {
      hint: 'Choose a folder that exists, has space left and may be written to.',
      cause,
    });
  }
}

interface Temporary {
  from: string;
  to: string;
  /** Throws where nothing may be put in the place of `to`. */
  check(): void;
}

/**
 * A file that a command makes of recordings. It gets its name when it is whole: one that fails, or
 * is given up, leaves what was there before. A new one may be read by nobody who may not read all of the
 * recordings. A character device such as `/dev/null` is written to as it is.
 */
export class OutputFile {
  readonly #out: string;
  readonly #handle: fs.promises.FileHandle;
  /** What is renamed at the end; null for a device. */
  #temporary: Temporary | null;
  #writtenBytes = 0;

  private constructor(out: string, handle: fs.promises.FileHandle, temporary: Temporary | null) {
    this.#out = out;
    this.#handle = handle;
    this.#temporary = temporary;
  }

  /**
   * FILE_EXISTS when it would overwrite a recording or other database, and with `mayReplace: false`
   * any file; {@link OutputError}.
   */
  static async create(
    out: string,
    inputs: readonly string[],
    { mayReplace = true }: { mayReplace?: boolean } = {},
  ): Promise<OutputFile> {
    const existing = statOf(out);
    if (existing?.isCharacterDevice() === true) {
      return new OutputFile(out, await open(out, { path: out, flags: 'w' }), null);
    }
    if (existing !== null && !existing.isFile())
      throw new OutputError(out, 'is not a regular file');
    // Beside the file itself and not beside a link to it.
    const to = existing === null ? out : fs.realpathSync(out);
    const check = () => {
      refuse(to, inputs);
      if (!mayReplace) refuseExisting(out, to);
    };
    check();
    const from = temporaryBeside(to);
    // Appending: behind a cut it goes on at the end.
    const mode = existing?.mode ?? modeOf(inputs);
    const handle = await open(out, { path: from, flags: 'ax', mode });
    return new OutputFile(out, handle, { from, to, check });
  }

  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  async write(part: string | Uint8Array): Promise<void> {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    try {
      await this.#handle.writeFile(bytes);
    } catch (error) {
      throw outputError(error, this.#out);
    }
    this.#writtenBytes += bytes.byteLength;
  }

  /** Takes back what was written behind this length; what went into a device is gone. */
  async cutBack(bytes: number): Promise<void> {
    if (this.#temporary === null) return;
    try {
      await this.#handle.truncate(bytes);
    } catch (error) {
      throw outputError(error, this.#out);
    }
    this.#writtenBytes = bytes;
  }

  /** It is whole. */
  async finish(): Promise<void> {
    try {
      await this.#handle.close();
      if (this.#temporary !== null) {
        const { from, to, check } = this.#temporary;
        // Somebody else may have made something of that name meanwhile.
        check();
        fs.renameSync(from, to);
      }
    } catch (error) {
      throw outputError(error, this.#out);
    }
    this.#temporary = null;
  }

  /** Leaves nothing of what was not finished. */
  async [Symbol.asyncDispose](): Promise<void> {
    // Closing a second time does nothing.
    await this.#handle.close();
    if (this.#temporary !== null) fs.rmSync(this.#temporary.from, { force: true });
  }
}

function statOf(out: string): fs.Stats | null {
  try {
    return fs.statSync(out, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    throw outputError(error, out);
  }
}

/** What a group and others may do with each of these files; the owner reads and writes. */
function modeOf(inputs: readonly string[]): number {
  return inputs.reduce((mode, input) => {
    const found = statOf(input);
    return found === null ? mode : mode & (0o600 | found.mode);
  }, 0o666);
}

function refuse(out: string, inputs: readonly string[]): void {
  try {
    refuseOverwriting(out, inputs);
  } catch (error) {
    throw outputError(error, out);
  }
}

function refuseExisting(out: string, to: string): void {
  if (statOf(to) === null) return;
  throw new HeadroomError('FILE_EXISTS', `--out ${out}: exists`, {
    hint: 'Choose another name, or add --force to replace it.',
  });
}

async function open(
  out: string,
  file: { path: string; flags: string; mode?: number | undefined },
): Promise<fs.promises.FileHandle> {
  try {
    return await fs.promises.open(file.path, file.flags, file.mode);
  } catch (error) {
    throw outputError(error, out);
  }
}

/** What the system says of an output as an {@link OutputError}; any other error as it is. */
export function outputError(error: unknown, out: string): unknown {
  const errno = errnoOf(error);
  if (errno === null || error instanceof HeadroomError) return error;
  return new OutputError(out, systemWords(errno), error);
}

/** Why something cannot be written, by the error number's name. */
export function systemWords(errno: string): string {
  const known: Readonly<Record<string, string>> = {
    ENOENT: 'the folder does not exist',
    ENOTDIR: 'the folder does not exist',
    ENOSPC: 'no space left to write to',
    EDQUOT: 'no space left to write to',
  };
  return `${known[errno] ?? 'cannot be written'} (${errno})`;
}
