import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Whether a process can be given a /tmp of its own here (a mount namespace, by `unshare` and
 * `mount`): root may where the container allows it. It is tried.
 */
export async function canHavePrivateTmp(): Promise<boolean> {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return false;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-host-'));
  try {
    await run('unshare', [
      '--mount',
      '--',
      '/bin/sh',
      '-c',
      'mount --bind "$1" /tmp',
      'sh',
      folder,
    ]);
    return true;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return false;
  } finally {
    fs.rmdirSync(folder);
  }
}
