import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import type { CommandIo } from '../../src/cli/command.ts';
import { garbageCollector } from '../../src/cli/garbage-collector.ts';
import { pagesCommand } from '../../src/cli/pages.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';

const browserPath = '/devtools/browser/ef30d5fe-f357-4c14-baf2-608d98f4b749';
const sockets = new Set<Duplex>();
let server: Server | null = null;

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  const closing = server;
  server = null;
  if (closing !== null) await new Promise((resolve) => closing.close(resolve));
});

type Behaviour = 'no HTTP' | 'half an answer' | 'no handshake' | 'no answer' | 'closes late';

/** A debugging port that is reached, and then does not do what it should. */
async function startBrowser(behaviour: Behaviour): Promise<string> {
  const made = createServer((_request, response) => {
    if (behaviour === 'no HTTP') return;
    if (behaviour === 'half an answer') response.write('{"webSocket');
    else response.end(JSON.stringify({ webSocketDebuggerUrl: `ws://localhost${browserPath}` }));
  });
  made.on('connection', (socket) => sockets.add(socket));
  made.on('upgrade', (request, socket) => {
    if (behaviour === 'no handshake') return;
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.on('error', () => socket.destroy());
    // The frame that closes; the connection itself stays (RFC 6455, 7.1.1).
    if (behaviour === 'closes late') socket.write(Buffer.from([0x88, 0]));
  });
  server = made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

function runPages(args: readonly string[]): Promise<number> {
  const { signal } = new AbortController();
  const io: CommandIo = {
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    signal,
    hurry: signal,
  };
  return pagesCommand.run(parseArguments(pagesCommand, args), io);
}

describe('--for ends it, and an address that never answered is an error', () => {
  test.each<Behaviour>(['no HTTP', 'half an answer', 'no handshake', 'no answer', 'closes late'])(
    '%s',
    async (behaviour) => {
      const address = await startBrowser(behaviour);
      const { host } = new URL(address);
      // Whatever is garbage goes: a timer of its own has to hold the end.
      const collecting = setInterval(garbageCollector().all, 100);
      try {
        await expect(runPages(['--cdp', address, '--for', '400ms'])).rejects.toMatchObject({
          code: 'DEVTOOLS_UNREACHABLE',
          message: `${host}: no answer`,
        });
      } finally {
        clearInterval(collecting);
      }
    },
  );

  test('nobody listens', async () => {
    const address = await startBrowser('no HTTP');
    const closing = server;
    server = null;
    await new Promise((resolve) => closing?.close(resolve));
    await expect(runPages(['--cdp', address, '--for', '400ms'])).rejects.toMatchObject({
      code: 'DEVTOOLS_UNREACHABLE',
    });
  });
});

test('--pid of no process: an error at once', async () => {
  // The largest pid that Linux can have, and none that is in use here (PID_MAX_LIMIT).
  await expect(runPages(['--pid', '4194304'])).rejects.toMatchObject({
    code: 'PROCESS_NOT_FOUND',
    message: '--pid 4194304: no such process',
  });
});
