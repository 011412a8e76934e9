import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { errnoOf, HeadroomError } from '../model/errors.ts';

/**
 * Takes a folder for this process: a second host would take the first one's sessions for what a
 * killed one left. The lock is an abstract socket (unix(7)), which goes with its process, however
 * that ends. FILE_IN_USE.
 */
export async function lockFolder(folder: string): Promise<Server> {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      if (errnoOf(error) !== 'EADDRINUSE') return reject(error);
      reject(
        new HeadroomError('FILE_IN_USE', `another headroom host has its sessions in ${folder}`, {
          hint: 'End it, or give this one another folder with --data.',
        }),
      );
    });
    server.listen(`\0headroom-host-${name}`, resolve);
  });
  return server.unref();
}
