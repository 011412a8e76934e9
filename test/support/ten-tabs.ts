import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DevtoolsConnection } from '../../src/collector/pages/devtools-connection.ts';
import { chosenAddress } from '../../src/collector/pages/devtools-endpoint.ts';
import { findChromium } from '../../src/host/browser/find-chromium.ts';
import { launchChromium } from '../../src/host/browser/launch-chromium.ts';

export interface TenTabs {
  browserPid: number;
  /** Origins of the ten tabs, each of another site. */
  origins: string[];
  /** The one that holds 150 MB. */
  heavyOrigin: string;
  /** Another client of the debugging protocol. */
  connect(): Promise<DevtoolsConnection>;
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
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(request.url === '/heavy' ? pages.heavy : pages.light);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  const browser = await launchChromium(executable);
  const origins = Array.from({ length: 10 }, (_, index) => `http://127.0.0.${index + 2}:${port}`);
  const heavyOrigin = origins[5] ?? '';
  for (const origin of origins) {
    await browser.open(`${origin}/${origin === heavyOrigin ? 'heavy' : ''}`);
  }
  return {
    browserPid: browser.pid,
    origins,
    heavyOrigin,
    connect: () => DevtoolsConnection.open(addressOf(browser.pid), () => undefined),
    close: async () => {
      await browser.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

function addressOf(pid: number): string {
  const profile = /--user-data-dir=([^\0]+)/.exec(
    readFileSync(`/proc/${pid}/cmdline`, 'latin1'),
  )?.[1];
  const address = chosenAddress(readFileSync(`${profile}/DevToolsActivePort`, 'latin1'));
  if (address === null) throw new Error('the browser tells no debugging port');
  return address;
}
