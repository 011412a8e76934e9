import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { temporaryFolder } from './headroom-cli.ts';

/** A browser beside the sessions of a host, for whoever goes by program and command line. */
export interface ForeignBrowser {
  pid: number;
  end(): Promise<void>;
}

/** A shell of that name, which waits for a line that never comes: a name alone is no browser. */
export async function startForeignBrowser(): Promise<ForeignBrowser> {
  const folder = temporaryFolder();
  const program = folder.file('chromium');
  copyFileSync('/bin/sh', program);
  const child = spawn(program, ['-c', 'read -r line', '--headless=new'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
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
