import fs from 'node:fs';
import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { unzipSync, Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import { drained } from '../http/drained.ts';
import type { Exchange } from '../http/exchange.ts';
import { HttpProblem } from '../http/problem.ts';
import { openFile, walkFolder } from './folder-walk.ts';
import type { SessionFiles } from './session-files.ts';

const pieceBytes = 256 * 1024;

/** A zip file is unpacked in memory. */
export const largestZipBytes = 128 * 2 ** 20;
const largestUnpackedBytes = 512 * 2 ** 20;

/** Answers with a folder as a zip file, packed while it is sent. Links are left out. */
export async function sendZip({ response, signal }: Exchange, fd: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/zip' });
  let failure: Error | null = null;
  const zip = new Zip((error, piece, isLast) => {
    if (error !== null) failure = error;
    else if (isLast) response.end(piece);
    else response.write(piece);
  });
  for (const { path, name, kind } of walkFolder(fd, 'folder_first')) {
    if (signal.aborted) return;
    if (kind === 'folder') addFolder(zip, name);
    if (kind === 'file') await addFile(zip, { path, name, response });
    if (failure !== null) throw failure;
  }
  zip.end();
  await finished(response, { readable: false });
}

/** Unpacks a zip file below a folder of the session; 400 and 413. */
export function unpackZip(zipFile: string, files: SessionFiles, folderPath: string): void {
  for (const [name, bytes] of Object.entries(unzipped(fs.readFileSync(zipFile)))) {
    if (name.startsWith('/') || name.split('/').includes('..')) {
      throw new HttpProblem(400, 'the zip file has a path that leads out of it');
    }
    const target = `${folderPath}/${name}`;
    if (name.endsWith('/')) files.createFolder(target, 0o755);
    else files.writeWhole(target, bytes);
  }
}

function unzipped(bytes: Buffer): Readonly<Record<string, Uint8Array>> {
  let unpackedBytes = 0;
  try {
    return unzipSync(bytes, {
      filter: ({ originalSize }) => {
        unpackedBytes += originalSize;
        if (unpackedBytes <= largestUnpackedBytes) return true;
        throw new HttpProblem(413, `unpacked it is larger than ${largestUnpackedBytes} bytes`);
      },
    });
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    throw new HttpProblem(400, 'not a zip file');
  }
}

function addFolder(zip: Zip, name: string): void {
  const entry = new ZipPassThrough(`${name}/`);
  zip.add(entry);
  entry.push(new Uint8Array(0), true);
}

async function addFile(
  zip: Zip,
  { path, name, response }: { path: string; name: string; response: ServerResponse },
): Promise<void> {
  const fd = openFile(path);
  try {
    const entry = new ZipDeflate(name, { level: 6 });
    zip.add(entry);
    for (;;) {
      const piece = Buffer.alloc(pieceBytes);
      const length = fs.readSync(fd, piece, 0, pieceBytes, null);
      entry.push(piece.subarray(0, length), length === 0);
      if (length === 0) return;
      await drained(response);
    }
  } finally {
    fs.closeSync(fd);
  }
}
