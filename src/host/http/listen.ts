import type { Server } from 'node:http';
import { errnoOf, HeadroomError } from '../../model/errors.ts';

/** Resolves when the server listens; ADDRESS_NOT_USABLE when it cannot. `port` 0: any that is free. */
export function listen(
  server: Server,
  { address, port }: { address: string; port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const errno = errnoOf(error);
      const what = errno === 'EADDRINUSE' ? 'another program listens there' : (errno ?? 'unknown');
      reject(
        new HeadroomError('ADDRESS_NOT_USABLE', `cannot listen on ${address}:${port}: ${what}`, {
          hint: 'Choose another --port, or 0 for any that is free.',
          cause: error,
        }),
      );
    });
    server.listen(port, address, resolve);
  });
}
