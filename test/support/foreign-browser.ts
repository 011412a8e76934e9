import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { temporaryFolder } from './headroom-cli.ts';

/** A browser beside the sessions of a host, for whoever goes by name and command line. */
export interface ForeignBrowser {
  pid: number;
  end(): Promise<void>;
}

/** It needs nothing and does nothing: a `sleep` of that name. */
export async function startForeignBrowser(): Promise<ForeignBrowser> {
  const folder = temporaryFolder();
  const program = folder.file('chromium');
  copyFileSync('/usr/bin/sleep', program);
  const child = spawn(program, ['100000'], { stdio: 'ignore' });
  await once(child, 'spawn');
  return {
    pid: child.pid ?? 0,
    end: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      folder[Symbol.dispose]();
    },
  };
}
