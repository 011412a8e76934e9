import fs from 'node:fs';
import { createGunzip } from 'node:zlib';
import { HeadroomError } from '../../model/errors.ts';
import { temporaryBeside } from '../../store/temporary-file.ts';
import { verifyFile } from '../../store/verify/verify-file.ts';
import { nameCopy } from '../name-copy.ts';
import { collectorFailure, runScript, type SessionCollector } from '../session-collector.ts';
import { convertFrames } from './convert-frames.ts';
import { EarlierCopy } from './earlier-copy.ts';
import { copyFramesScript } from './light-scripts.ts';

/** One file of all frames so far, made in the session; gives its size and SHA-256 as the script says. */
export async function copyFrames(
  { session, folder }: SessionCollector,
  copy: string,
): Promise<{ sizeBytes: number; sha256: string }> {
  const text = await runScript(session, [copyFramesScript, folder, copy]);
  const [, size, sha256] = /^\s*(\d+)\s+([0-9a-f]{64})\s/.exec(text) ?? [];
  if (size === undefined || sha256 === undefined) {
    throw collectorFailure(session, 'no size and SHA-256 of its frames came');
  }
  return { sizeBytes: Number(size), sha256 };
}

/**
 * Makes the recording `out` of the frames in a file that was fetched, and checks it. An earlier one of
 * that name keeps what the frames no longer have; `complete` gets the new one before it has its name.
 * Gives its size. FILE_CORRUPT.
 */
export async function recordingOfFrames(
  fetched: string,
  out: string,
  complete: (copy: string) => void = () => undefined,
): Promise<number> {
  const made = temporaryBeside(out);
  try {
    // For its owner alone, as what it is made of is, from the first byte on.
    fs.closeSync(fs.openSync(made, 'wx', 0o600));
    await convertFrames(framesIn(fetched), made, EarlierCopy.of(out));
    const { isWhole, problems, sizeBytes } = verifyFile(made);
    if (!isWhole) {
      const message = `${out}: ${problems[0]?.message ?? 'is damaged'}`;
      throw new HeadroomError('FILE_CORRUPT', message, {
        hint: 'The frames are still in the session: pull it again.',
      });
    }
    complete(made);
    nameCopy(made, out);
    return sizeBytes;
  } finally {
    for (const rest of ['', '-wal', '-shm', '-journal']) fs.rmSync(made + rest, { force: true });
  }
}

/** Packed by gzip where the session has it: as many members as there were files. */
async function* framesIn(file: string): AsyncGenerator<Uint8Array> {
  const bytes = fs.createReadStream(file);
  if (!isPacked(file)) return yield* bytes;
  const unpacked = createGunzip();
  bytes.on('error', (error) => unpacked.destroy(error));
  yield* bytes.pipe(unpacked);
}

const gzipMagic = Buffer.from([0x1f, 0x8b]);

function isPacked(file: string): boolean {
  const fd = fs.openSync(file, 'r');
  try {
    const start = Buffer.alloc(gzipMagic.length);
    fs.readSync(fd, start);
    return start.equals(gzipMagic);
  } finally {
    fs.closeSync(fd);
  }
}
