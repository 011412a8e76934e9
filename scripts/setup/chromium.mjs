import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { installDebianPackages } from './debian-packages.mjs';
import { SetUpError } from './set-up-error.mjs';

/**
 * A Chromium or Chrome to record: the one that is there, else the distribution's. Goes on without
 * one; the machine can be recorded all the same.
 *
 * @param {string} root With dist/ built: what counts as a browser, the program decides.
 * @returns {Promise<string>} What was found or done.
 */
export async function provideChromium(root) {
  const found = await findBrowser(root);
  if (found !== null) return found;
  const refusal = await installDebianPackages(['chromium']);
  const installed = await findBrowser(root);
  if (installed !== null) return `${installed} (installed)`;
  return `none: ${refusal ?? 'the package chromium brought no browser'}`;
}

/** @param {string} root */
async function findBrowser(root) {
  const built = pathToFileURL(path.join(root, 'dist', 'host', 'browser', 'find-chromium.js')).href;
  /** @type {typeof import('../../src/host/browser/find-chromium.ts')} */
  const { findChromium } = await import(built);
  try {
    return findChromium();
  } catch (error) {
    if (error instanceof Error && 'hint' in error) {
      throw new SetUpError(error.message, String(error.hint));
    }
    throw error;
  }
}
