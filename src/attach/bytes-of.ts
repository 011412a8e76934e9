import { HeadroomError } from '../model/errors.ts';
import type { Session } from '../session/session.ts';

const mostBytes = 2 ** 20;

/** The first MiB of a small file in a session; null where there is none. */
export async function bytesOf(session: Session, path: string): Promise<Buffer | null> {
  try {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of (await session.readFile(path)).chunks) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > mostBytes) break;
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof HeadroomError && error.code === 'SESSION_NOT_FOUND') return null;
    throw error;
  }
}
