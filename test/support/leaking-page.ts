import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page that takes memory, writes to it and keeps it, from a server of its own. */
export interface LeakingPage {
  url: string;
  close(): void;
}

export async function serveLeakingPage(script: string): Promise<LeakingPage> {
  const html = `<!doctype html><title>leak</title><script>${script}</script>`;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
