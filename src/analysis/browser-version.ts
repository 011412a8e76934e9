import type { ProcessRecord } from '../model/recording.ts';

// By the base name of the executable; crashpad's own `prod` is Chrome_Linux for all of them.
const products = new Map([
  ['chromium', 'Chromium'],
  ['chromium-browser', 'Chromium'],
  ['Chromium', 'Chromium'],
  ['chrome', 'Chrome'],
  ['google-chrome', 'Chrome'],
  ['google-chrome-stable', 'Chrome'],
  ['Google Chrome', 'Chrome'],
  ['headless_shell', 'HeadlessShell'],
  ['chrome-headless-shell', 'HeadlessShell'],
  ['msedge', 'Edge'],
  ['brave', 'Brave'],
]);

/**
 * `Chromium 156.0.8078.108`: the product from the browser's executable, the version from the command
 * line of its crash handler, which carries it as an annotation. Null when no handler told one (none
 * ran, or command lines were not recorded), and when two browsers of the recording differ: no field
 * of the report says which of them it is about.
 */
export function browserVersionOf(records: readonly ProcessRecord[]): string | null {
  const handlers = records.filter(({ role }) => role === 'crashpad');
  const known = handlers.filter(({ browserPid }) => browserPid !== null);
  const browsers = records.filter(({ role }) => role === 'browser');
  const areAllOurs = browsers.every(({ browserPid }) => browserPid !== null);
  const versions = new Set(
    // Where none was tied to its browser, they are those of the browsers there are, if all are ours.
    (known.length > 0 || !areAllOurs ? known : handlers).flatMap((handler) => {
      const version = annotatedVersion(handler);
      return version === null ? [] : [`${productOf(handler, browsers)} ${version}`];
    }),
  );
  const [version = null] = versions;
  return versions.size === 1 ? version : null;
}

function annotatedVersion({ command }: ProcessRecord): string | null {
  return / --annotation=ver=(\d+(?:\.\d+){1,3})(?: |$)/.exec(command ?? '')?.[1] ?? null;
}

function productOf(handler: ProcessRecord, browsers: readonly ProcessRecord[]): string {
  const own = browsers.filter(({ pid }) => pid === handler.browserPid);
  const names = new Set((own.length > 0 ? own : browsers).map(({ executable }) => executable));
  const [name = null] = names;
  return (names.size === 1 && name !== null ? products.get(name) : null) ?? 'Chromium';
}
