import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { HeadroomError } from '../model/errors.ts';
import type { Session } from '../session/session.ts';
import { notWritable } from '../store/not-writable.ts';
import { temporaryBeside } from '../store/temporary-file.ts';
import { copyFrames, recordingOfFrames } from './light/light-recording.ts';
import { nameCopy } from './name-copy.ts';
import type { SessionCollector } from './session-collector.ts';

export type OnTransfer = (receivedBytes: number, sizeBytes: number) => void;

export interface PullOptions {
  onTransfer?: OnTransfer;
  /** Gets the checked copy before it has its name, and may complete it; it stays sealed. */
  complete?: (copy: string) => void;
}

const mostTries = 3;

/**
 * Fetches a consistent copy of what the collector has recorded so far, also while it records and after
 * it was killed. The copy is made, hashed and put on the disk in the session, fetched, compared, put on
 * the disk here and only then named `out`, which may be an earlier copy. Gives its size.
 * COLLECTOR_NOT_FOUND where nothing was recorded; TRANSFER_DAMAGED when three tries were in vain;
 * STORE_FULL, FILE_NOT_WRITABLE.
 */
export async function pullRecording(
  collector: SessionCollector,
  out: string,
  { onTransfer = () => undefined, complete = () => undefined }: PullOptions = {},
): Promise<number> {
  const { session, folder, files } = collector;
  const request = await collector.request();
  if (request === null) throw notFound(session);
  const copy = `${folder}/copy-${randomBytes(8).toString('hex')}.db`;
  const temporary = temporaryBeside(out);
  const isLight = (await collector.state())?.light !== undefined;
  try {
    const made = isLight
      ? await copyFrames(collector, copy)
      : await collector.ask(request.nodePath, 'snapshot', files.recording, copy);
    const wanted = { sizeBytes: Number(made['sizeBytes']), sha256: String(made['sha256']) };
    await fetchChecked(session, copy, { temporary, wanted, onTransfer });
    if (isLight) return await recordingOfFrames(temporary, out, complete);
    complete(temporary);
    nameCopy(temporary, out);
    return wanted.sizeBytes;
  } catch (error) {
    throw notWritable(out, error);
  } finally {
    fs.rmSync(temporary, { force: true });
    await removeCopies(session, copy);
  }
}

export function notFound(session: Session): HeadroomError {
  return new HeadroomError('COLLECTOR_NOT_FOUND', `${session.name}: nothing is recorded there`, {
    hint: `Start with: headroom attach ${session.name}`,
  });
}

interface Transfer {
  temporary: string;
  wanted: { sizeBytes: number; sha256: string };
  onTransfer: OnTransfer;
}

// To read a file twice does no harm, unlike a command.
async function fetchChecked(session: Session, copy: string, transfer: Transfer): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await fetchOnce(session, copy, transfer);
      return;
    } catch (error) {
      const isWorthIt =
        error instanceof HeadroomError &&
        ['TRANSFER_DAMAGED', 'SESSION_UNREACHABLE'].includes(error.code);
      if (!isWorthIt || attempt === mostTries) throw error;
    }
  }
}

async function fetchOnce(session: Session, copy: string, transfer: Transfer): Promise<void> {
  const { temporary, wanted, onTransfer } = transfer;
  const hash = createHash('sha256');
  let receivedBytes = 0;
  const file = fs.openSync(temporary, 'w', 0o600);
  try {
    for await (const chunk of (await session.readFile(copy)).chunks) {
      receivedBytes += chunk.length;
      if (receivedBytes > wanted.sizeBytes) break;
      hash.update(chunk);
      fs.writeFileSync(file, chunk);
      onTransfer(receivedBytes, wanted.sizeBytes);
    }
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
  if (receivedBytes === wanted.sizeBytes && hash.digest('hex') === wanted.sha256) return;
  const message = `${session.name}: ${receivedBytes} bytes came of ${wanted.sizeBytes}, or others than were sent`;
  throw new HeadroomError('TRANSFER_DAMAGED', message, {
    hint: 'The recording is still in the session: pull it again.',
  });
}

/** A copy that was never made, or a session that is gone, needs no tidying up. */
async function removeCopies(session: Session, copy: string): Promise<void> {
  for (const path of [copy, `${copy}.part`]) {
    try {
      await session.removeFile(path);
    } catch (error) {
      if (!(error instanceof HeadroomError)) throw error;
    }
  }
}
