import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { servePages } from '../../src/cli/demo/pages.ts';
import { findChromium } from '../../src/host/browser/find-chromium.ts';
import { launchChromium, type RunningChromium } from '../../src/host/browser/launch-chromium.ts';
import type { CleanUp } from './clean-up.ts';
import { endGroup } from './process-group.ts';

/** Chromium with this many tabs of the demo's pages, each a site and so a renderer of its own. */
export async function startBrowser(tabCount: number, cleanUp: CleanUp): Promise<RunningChromium> {
  const executable = findChromium();
  if (executable === null) throw new Error('there is no Chromium; HEADROOM_CHROMIUM can name one');
  const pages = await servePages();
  cleanUp.add(() => pages.close());
  const browser = await launchChromium(executable);
  cleanUp.add(() => browser.close());
  for (let tab = 0; tab < tabCount; tab++) {
    const url = pages.urls[tab % pages.urls.length] ?? '';
    // text.localhost → text.tab7.localhost: the first label chooses the page, the second the site.
    await browser.open(url.replace('.localhost', `.tab${tab}.localhost`));
  }
  return browser;
}

// They end by themselves when whoever started them was killed and could not clean up.
const longestSeconds = 1_800;
const script =
  'count=$1; while [ "$count" -gt 0 ]; do sleep "$2" & count=$((count - 1)); done; echo ready; wait';

/** Starts idle processes, and gives what ends them. */
export async function startSleepers(count: number, cleanUp: CleanUp): Promise<() => Promise<void>> {
  const args = ['-c', script, 'sh', String(count), String(longestSeconds)];
  const shell = spawn('/bin/sh', args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(shell, 'spawn');
  let isRunning = true;
  const stop = async () => {
    if (isRunning && shell.pid !== undefined) await endGroup(shell.pid);
    isRunning = false;
  };
  cleanUp.add(stop);
  await once(shell.stdout, 'data');
  return stop;
}

/** Processes that are no threads of the kernel. */
export function countProcesses(): number {
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && hasCommand(name)).length;
}

function hasCommand(pid: string): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`).length > 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
