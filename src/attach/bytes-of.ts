import { bytesUpTo } from '../model/bytes-up-to.ts';
import { HeadroomError } from '../model/errors.ts';
import type { Session } from '../session/session.ts';

const mostBytes = 2 ** 20;

/** The first MiB of a small file in a session; null where there is none. */
export async function bytesOf(session: Session, path: string): Promise<Buffer | null> {
  try {
    const { chunks } = await session.readFile(path);
    return (await bytesUpTo(chunks, mostBytes)).bytes;
  } catch (error) {
    if (error instanceof HeadroomError && error.code === 'SESSION_NOT_FOUND') return null;
    throw error;
  }
}
