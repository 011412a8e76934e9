import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('s3-server-child.mjs', import.meta.url));

/** A bucket in an object store of its own on this machine. */
export interface ObjectStore {
  /** Of the bucket, without a slash at its end. */
  url: string;
  /** As arguments of ClickHouse's s3(). */
  credentials: string;
  /** Puts every file of a folder into the bucket, by its path from the folder above. */
  upload(folder: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Its files are in this folder, which is made. */
export async function startObjectStore(folder: string): Promise<ObjectStore> {
  mkdirSync(folder);
  const server = spawn(process.execPath, [child, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data');
  const url = `http://127.0.0.1:${String(port).trim()}/bucket`;
  return {
    url,
    credentials: "'S3RVER', 'S3RVER'",
    async upload(from) {
      for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
        if (name.endsWith('.parquet'))
          await put(path.join(from, name), `${path.basename(from)}/${name}`);
      }
    },
    async [Symbol.asyncDispose]() {
      server.stdin.end();
      if (server.exitCode === null) await once(server, 'exit');
    },
  };

  async function put(file: string, key: string): Promise<void> {
    const address = `${url}/${key.split('/').map(encodeURIComponent).join('/')}`;
    const { ok, status } = await fetch(address, { method: 'PUT', body: readFileSync(file) });
    if (!ok) throw new Error(`${address}: ${status}`);
  }
}
