import { HeadroomError } from '../../model/errors.ts';
import { ProcFs } from '../procfs/proc-fs.ts';
import { ChromiumProcesses } from './chromium-processes.ts';
import { DevtoolsConnection, unreachable } from './devtools-connection.ts';
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
const noBrowser = 'no browser with a debugging port was found on this machine';

/**
 * Watches the pages of one or of all browsers, those that begin later as well, until the signal. Gives
 * why none was ever watched (DEVTOOLS_UNREACHABLE); null when one was, or none was found.
 */
export async function watchBrowsers(
  options: BrowserWatchOptions,
  signal: AbortSignal,
): Promise<HeadroomError | null> {
  const { address, belowPid, clock, sleep, complain } = options;
  const processes = new ChromiumProcesses(new ProcFs());
  const watched = new Map<string, Promise<void>>();
  const startedMs = clock.monotonicMs();
  let problem = null as HeadroomError | null;
  let wasWatched = false;
  let isSettled = false;
  while (!signal.aborted) {
    processes.update();
    for (const url of address === null ? localAddresses(processes, belowPid) : [address]) {
      if (watched.has(url) || watched.size >= mostBrowsers) continue;
      const watch = watchBrowser(url, { ...options, processes }, signal).then((failure) => {
        watched.delete(url);
        if (failure === null) wasWatched = true;
        // What the end broke off says less than what was known before.
        else if (problem === null || !signal.aborted) problem = failure;
      });
      watched.set(url, watch);
    }
    isSettled ||= wasWatched;
    if (!isSettled && clock.monotonicMs() - startedMs > patienceMs) {
      isSettled = true;
      if (watched.size === 0) complain(problem?.message ?? noBrowser);
    }
    await sleep(lookEveryMs);
  }
  await Promise.all(watched.values());
  return wasWatched ? null : problem;
}

/** Gives why it could not be watched, null when it was. */
async function watchBrowser(
  address: string,
  options: PageWatchOptions,
  signal: AbortSignal,
): Promise<HeadroomError | null> {
  const watch = new PageWatch(options);
  try {
    const url = await webSocketUrl(address, signal);
    const connection = await DevtoolsConnection.open(url, (event) => watch.take(event), signal);
    const hasAnswered = await watch.run(connection, signal);
    connection.close();
    if (hasAnswered) return null;
  } catch (error) {
    if (!(error instanceof HeadroomError) || error.code !== 'DEVTOOLS_UNREACHABLE') throw error;
    if (!signal.aborted) return error;
  }
  return unreachable(address, new Error('no answer'));
}
