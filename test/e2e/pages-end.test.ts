import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { headroomMain } from '../support/headroom-cli.ts';

test('the watcher beside a recorder ends when asked to, though its stdin stays open', {
  timeout: 120_000,
}, async () => {
  const args = [headroomMain, 'pages', '--json', '--while-read', '--for', '100ms'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  try {
    expect(await once(child, 'exit')).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});
