import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import type { Exchange } from '../http/exchange.ts';
import { HttpProblem } from '../http/problem.ts';

/** A form as it was uploaded: its texts, and its files, which are on the host's disk for now. */
export interface UploadedForm extends Disposable {
  texts: ReadonlyMap<string, string>;
  /** Field to file. */
  files: ReadonlyMap<string, string>;
}

export interface UploadLimits {
  /** Of one file. */
  fileBytes: number;
  files: number;
}

/** Takes a multipart form; its files are streamed into a folder and are gone with its disposal. */
export async function receiveForm(
  { request }: Exchange,
  folder: string,
  limits: UploadLimits,
): Promise<UploadedForm> {
  const contentType = request.headers['content-type'] ?? '';
  if (!contentType.startsWith('multipart/form-data')) {
    throw new HttpProblem(400, 'a multipart form is needed');
  }
  const taken = fs.mkdtempSync(path.join(folder, 'upload-'));
  const dispose = () => fs.rmSync(taken, { recursive: true, force: true });
  try {
    const parts = await receiveParts(request, { contentType, taken, limits });
    return { ...parts, [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

async function receiveParts(
  request: Readable,
  { contentType, taken, limits }: { contentType: string; taken: string; limits: UploadLimits },
): Promise<Omit<UploadedForm, keyof Disposable>> {
  const form = busboyOf(contentType, limits);
  const texts = new Map<string, string>();
  const files = new Map<string, string>();
  const writing: Promise<void>[] = [];
  let excess: string | null = null;
  form.on('field', (name: string, value: string) => texts.set(name, value));
  form.on('file', (name: string, stream: Readable) => {
    const file = path.join(taken, String(files.size));
    files.set(name, file);
    stream.once('limit', () => {
      excess = `a file is larger than ${limits.fileBytes} bytes`;
    });
    writing.push(pipeline(stream, fs.createWriteStream(file, { mode: 0o644 })));
  });
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
    form.on(limit, () => {
      excess = 'the form has too many parts';
    });
  }
  await pipeline(request, form).catch((error: unknown) => {
    throw new HttpProblem(400, `not a whole form: ${error instanceof Error ? error.message : ''}`);
  });
  await Promise.all(writing);
  if (excess !== null) throw new HttpProblem(413, excess);
  return { texts, files };
}

function busboyOf(contentType: string, { fileBytes, files }: UploadLimits): Busboy {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { fileSize: fileBytes, files, fields: files, fieldSize: 8_192, fieldNameSize: 200 },
    });
  } catch (error) {
    throw new HttpProblem(400, error instanceof Error ? error.message : 'not a form');
  }
}
