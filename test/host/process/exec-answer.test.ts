import { createServer, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { sendExecAnswer } from '../../../src/host/process/exec-answer.ts';

const pieceBytes = 98_304;

test.each([0, 1, 2, 3, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes + 2])(
  'an output of %i bytes is one text of base64',
  async (length) => {
    const stdout = Buffer.from(Array.from({ length }, (_, at) => (at * 31) % 256));
    const stderr = Buffer.from('é "');
    const told = { exit_code: 3, name: 'é' };
    const answer = await answerOf((response) =>
      sendExecAnswer({ response }, told, { stdout, stderr }),
    );
    expect(answer.headers.get('content-type')).toBe('application/json');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(Number(answer.headers.get('content-length'))).toBe(bytes.length);
    expect(JSON.parse(bytes.toString())).toEqual({
      ...told,
      stdout_b64: stdout.toString('base64'),
      stderr_b64: 'w6kgIg==',
    });
  },
);

/** What a client gets of a server that answers like this. */
async function answerOf(answer: (response: ServerResponse) => Promise<void>): Promise<Response> {
  const server = createServer((_, response) => void answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  server.close();
  return response;
}
