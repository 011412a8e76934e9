import type { IncomingMessage } from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Hands a WebSocket of a client on to the browser's DevTools, byte by byte from the handshake on.
 * Only what a handshake needs is passed: no origin, no cookie, no token. Ends with either side.
 */
export function proxyToBrowser(
  request: IncomingMessage,
  client: Duplex,
  options: { head: Buffer; devtools: { port: number; path: string } },
): void {
  const { port, path } = options.devtools;
  const browser = net.connect(port, '127.0.0.1');
  const close = () => {
    client.destroy();
    browser.destroy();
  };
  for (const side of [client, browser]) side.on('error', close).on('close', close);
  browser.once('connect', () => {
    browser.write(handshake(request, { port, path }));
    browser.write(options.head);
    client.pipe(browser);
    browser.pipe(client);
  });
}

const passedOn = [
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
];

function handshake(
  { headers }: IncomingMessage,
  { port, path }: { port: number; path: string },
): string {
  const lines = passedOn.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? `${name}: ${value}` : [];
  });
  return [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    ...lines,
    '',
    '',
  ].join('\r\n');
}
