import { type DemoPages, servePages } from '../../src/cli/demo/pages.ts';
import { findChromium } from '../../src/host/browser/find-chromium.ts';
import { launchChromium, type RunningChromium } from '../../src/host/browser/launch-chromium.ts';

/** A real Chromium with the demo's pages open. Fails, and does not skip, where there is none. */
export async function startTestBrowser(): Promise<{
  browser: RunningChromium;
  pages: DemoPages;
  close(): Promise<void>;
}> {
  const executable = findChromium(process.env);
  if (executable === null) {
    throw new Error('no Chromium: install the package chromium, or set HEADROOM_CHROMIUM');
  }
  const pages = await servePages();
  const browser = await launchChromium(executable);
  for (const url of pages.urls) await browser.open(url);
  return {
    browser,
    pages,
    close: async () => {
      await browser.close();
      await pages.close();
    },
  };
}
