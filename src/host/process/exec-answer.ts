import { drained } from '../http/drained.ts';
import type { Exchange } from '../http/exchange.ts';

// In base64 a multiple of three bytes needs no filling.
const pieceBytes = 3 * 32_768;

/**
 * Answers with what is told of an exec and its outputs, in base64 and piece by piece: as one text an
 * output of 64 MiB would be copied four times.
 */
export async function sendExecAnswer(
  { response }: Pick<Exchange, 'response'>,
  told: Readonly<Record<string, unknown>>,
  { stdout, stderr }: { stdout: Buffer; stderr: Buffer },
): Promise<void> {
  const head = `${JSON.stringify(told).slice(0, -1)},"stdout_b64":"`;
  const between = '","stderr_b64":"';
  const end = '"}';
  const textBytes = Buffer.byteLength(head + between + end);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': textBytes + base64Bytes(stdout) + base64Bytes(stderr),
  });
  response.write(head);
  await writeBase64(response, stdout);
  response.write(between);
  await writeBase64(response, stderr);
  response.end(end);
}

const base64Bytes = ({ length }: Buffer) => 4 * Math.ceil(length / 3);

async function writeBase64(response: Exchange['response'], data: Buffer): Promise<void> {
  for (let at = 0; at < data.length && !response.destroyed; at += pieceBytes) {
    response.write(data.toString('base64', at, Math.min(at + pieceBytes, data.length)), 'latin1');
    await drained(response);
  }
}
