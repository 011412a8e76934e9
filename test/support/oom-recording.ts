import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { launchChromium } from '../../src/host/browser/launch-chromium.ts';
import type { OomKill } from '../../src/model/event.ts';
import type { Recording } from '../../src/model/recording.ts';
import { openRecording } from '../../src/store/reader.ts';
import { startCli } from './headroom-cli.ts';
import { servePage } from './page-server.ts';
import { chromiumCommand, chromiumProgram } from './recorded-browser.ts';

// On a machine that is busy with other tests a page gets a tenth of a core to leak with.
const patience = { timeout: 150_000, interval: 250 };

/**
 * Brings the browser's program into the page cache, charged to us. Charged to the limited cgroup it
 * would be thrown out and read again, and the browser would stand still for minutes instead of being
 * killed. Fails, and does not skip, where there is no Chromium.
 */
export async function warmUpChromium(): Promise<void> {
  await (await launchChromium(chromiumProgram())).close();
}

/** Records a browser in a limit, with a page of this script, until the kernel has killed one of its processes. */
export async function recordUntilKill(file: string, limit: string, script: string): Promise<void> {
  const page = await servePage(`<!doctype html><title>eats</title><script>${script}</script>`);
  const browser = chromiumCommand(file, [page.url]);
  const options = ['--quiet', '--out', file, '--memory-limit', limit];
  const { child, result } = startCli(['record', ...options, '--', ...browser]);
  try {
    await vi.waitFor(() => {
      expect(existsSync(file)).toBe(true);
      using live = openRecording(file);
      ownKill(live);
    }, patience);
    // How the victim ended is heard up to half a second later.
    await sleep(1_000);
  } finally {
    child.kill('SIGTERM');
    await result;
    page.close();
  }
}

/** The kill in the cgroup of the recording: others on this machine may be killed as well. */
export function ownKill(recording: Recording): OomKill {
  const path = recording.lastTick()?.cgroup?.path;
  const kill = recording
    .events()
    .filter((event) => event.kind === 'oom_kill')
    .find(({ cgroup }) => path !== undefined && cgroup?.endsWith(path));
  if (kill === undefined) throw new Error('no kill is recorded yet');
  return kill;
}
