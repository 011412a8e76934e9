import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../src/host/browser/find-chromium.ts';

/** A headless Chromium to look at pages with. Fails, and does not skip, where there is none. */
export async function startPageBrowser(): Promise<Browser> {
  const executablePath = findChromium(process.env);
  if (executablePath === null) {
    throw new Error('no Chromium: install the package chromium, or set HEADROOM_CHROMIUM');
  }
  return await chromium.launch({
    executablePath,
    // Chromium's sandbox refuses to run as root.
    chromiumSandbox: process.getuid?.() !== 0,
    timeout: 120_000,
  });
}
