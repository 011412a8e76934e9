import { findChromium } from '../../src/host/browser/find-chromium.ts';
import { launchChromium } from '../../src/host/browser/launch-chromium.ts';
import { openRecording } from '../../src/store/reader.ts';
import { serveSites } from './page-server.ts';

export interface TenTabs {
  browserPid: number;
  /** Origins of the ten tabs, each of another site. */
  origins: string[];
  /** The one that holds 150 MB. */
  heavyOrigin: string;
  close(): Promise<void>;
}

const heavyMiB = 150;
const pages = {
  light: '<title>light</title><p>a page',
  heavy: `<title>heavy</title><script>
    const kept = [];
    for (let index = 0; index < ${heavyMiB}; index++) kept.push(new Uint8Array(2 ** 20).fill(index));
  </script>`,
};

/** A real Chromium with ten tabs of ten sites, of which one holds 150 MB. */
export async function openTenTabs(): Promise<TenTabs> {
  const executable = findChromium(process.env);
  if (executable === null) throw new Error('no Chromium: install the package chromium');
  const sites = await serveSites((path) => (path === '/heavy' ? pages.heavy : pages.light));
  const browser = await launchChromium(executable);
  const origins = Array.from({ length: 10 }, (_, index) => sites.origin(index + 2));
  const heavyOrigin = origins[5] ?? '';
  for (const origin of origins) {
    await browser.open(`${origin}/${origin === heavyOrigin ? 'heavy' : ''}`);
  }
  return {
    browserPid: browser.pid,
    origins,
    heavyOrigin,
    close: async () => {
      await browser.close();
      sites.close();
    },
  };
}

/** Of which pages the recording says where they are. */
export function placedOrigins(file: string): (string | null)[] {
  using recording = openRecording(file);
  const events = recording.events().filter((event) => event.kind === 'page');
  return events.filter(({ state }) => state === 'placed').map(({ url }) => url);
}
