import { HeadroomError } from '../../model/errors.ts';
import { ProcFs } from '../procfs/proc-fs.ts';
import { ChromiumProcesses } from './chromium-processes.ts';
import { DevtoolsConnection } from './devtools-connection.ts';
import { localAddresses, webSocketUrl } from './devtools-endpoint.ts';
import { PageWatch, type PageWatchOptions } from './page-watch.ts';

export interface BrowserWatchOptions extends Omit<PageWatchOptions, 'processes'> {
  /** The address of one browser; null: all of this machine that have a debugging port. */
  address: string | null;
  /** Only browsers that are this process or descend from it; null: all. */
  belowPid: number | null;
  /** Told once when there has been no browser to watch for a while, in words. */
  complain(message: string): void;
}

const lookEveryMs = 1_000;
const patienceMs = 15_000;
const mostBrowsers = 8;

/** Watches the pages of one or of all browsers, those that begin later as well, until the signal. */
export async function watchBrowsers(
  options: BrowserWatchOptions,
  signal: AbortSignal,
): Promise<void> {
  const { address, belowPid, clock, sleep, complain } = options;
  const processes = new ChromiumProcesses(new ProcFs());
  const watched = new Map<string, Promise<void>>();
  const startedMs = clock.monotonicMs();
  let problem = 'no browser with a debugging port was found on this machine';
  let isSettled = false;
  while (!signal.aborted) {
    processes.update();
    for (const url of address === null ? localAddresses(processes, belowPid) : [address]) {
      if (watched.has(url) || watched.size >= mostBrowsers) continue;
      const watch = watchBrowser(url, { ...options, processes }, signal).then((failure) => {
        watched.delete(url);
        problem = failure ?? problem;
        isSettled ||= failure === null;
      });
      watched.set(url, watch);
    }
    if (!isSettled && clock.monotonicMs() - startedMs > patienceMs) {
      isSettled = true;
      if (watched.size === 0) complain(problem);
    }
    await sleep(lookEveryMs);
  }
  await Promise.all(watched.values());
}

/** Gives why it could not be watched, null when it was. */
async function watchBrowser(
  address: string,
  options: PageWatchOptions,
  signal: AbortSignal,
): Promise<string | null> {
  const watch = new PageWatch(options);
  try {
    const url = await webSocketUrl(address);
    const connection = await DevtoolsConnection.open(url, (event) => watch.take(event));
    await watch.run(connection, signal);
    connection.close();
    return null;
  } catch (error) {
    if (error instanceof HeadroomError && error.code === 'DEVTOOLS_UNREACHABLE')
      return error.message;
    throw error;
  }
}
