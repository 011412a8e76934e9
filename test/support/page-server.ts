import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves one page on a free port of the loopback address. */
export async function servePage(html: string): Promise<{ url: string; close(): void }> {
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

export interface Sites {
  /** Each of another site, on a free port; `number` from 2 to 254. */
  origin(number: number): string;
  /** Addresses that were asked for, without icons. */
  requests: string[];
  close(): void;
}

/** Serves pages by path, on as many sites as the loopback network has addresses. */
export async function serveSites(pageOf: (path: string, sites: Sites) => string): Promise<Sites> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    if (request.url !== '/favicon.ico')
      requests.push(`http://${request.headers.host}${request.url}`);
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(pageOf(request.url ?? '', sites));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '0.0.0.0', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const sites: Sites = {
    origin: (number) => `http://127.0.0.${number}:${port}`,
    requests,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return sites;
}
