import { randomBytes } from 'node:crypto';
import { request } from 'node:http';

/**
 * Opens a WebSocket, sends one text of less than 126 bytes and gives the first one that comes back.
 * Node.js 20 has no client of its own. Rejects with the status where there is no upgrade.
 */
export function askWebSocket(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(url.replace(/^ws/, 'http'), {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        'sec-websocket-version': '13',
      },
    });
    call.on('error', reject);
    call.on('response', ({ statusCode }) => reject(new Error(`status ${statusCode}`)));
    call.on('upgrade', (_response, socket, head) => {
      let received = head;
      const take = (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const answer = textOf(received);
        if (answer === null) return;
        socket.destroy();
        resolve(answer);
      };
      socket.on('data', take);
      socket.on('error', reject);
      socket.write(maskedFrame(text));
    });
    call.end();
  });
}

// RFC 6455, 5.2: a client masks what it sends; a mask of zeros changes nothing.
function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 + payload.length, 0, 0, 0, 0]), payload]);
}

function textOf(frame: Buffer): string | null {
  if (frame.length < 4) return null;
  const short = frame.readUInt8(1);
  const [start, length] = short === 126 ? [4, frame.readUInt16BE(2)] : [2, short];
  return frame.length < start + length ? null : frame.toString('utf8', start, start + length);
}
