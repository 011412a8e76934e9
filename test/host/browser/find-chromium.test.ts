import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findChromium } from '../../../src/host/browser/find-chromium.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'headroom-path-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, mode = 0o755): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, mode);
  return file;
}

test('none on PATH, and no PATH, is null', () => {
  expect(findChromium({ PATH: folder })).toBeNull();
  expect(findChromium({})).toBeNull();
});

test('chromium comes before chrome, wherever on PATH each is', () => {
  program('first/google-chrome');
  const chromium = program('second/chromium');
  const PATH = ['first', 'second'].map((name) => path.join(folder, name)).join(path.delimiter);
  expect(findChromium({ PATH })).toBe(chromium);
});

test('what cannot be run does not count', () => {
  program('chromium', 0o644);
  mkdirSync(path.join(folder, 'chromium-browser'));
  const chrome = program('google-chrome-stable');
  expect(findChromium({ PATH: folder })).toBe(chrome);
});

test('HEADROOM_CHROMIUM wins; empty is as if unset', () => {
  const onPath = program('chromium');
  const chosen = program('elsewhere/my-chrome');
  expect(findChromium({ PATH: folder, HEADROOM_CHROMIUM: chosen })).toBe(chosen);
  expect(findChromium({ PATH: folder, HEADROOM_CHROMIUM: '' })).toBe(onPath);
});

test('HEADROOM_CHROMIUM that is no program is an error, not another browser', () => {
  program('chromium');
  const missing = path.join(folder, 'missing');
  expect(() => findChromium({ PATH: folder, HEADROOM_CHROMIUM: missing })).toThrow(
    expect.objectContaining({
      code: 'BROWSER_NOT_FOUND',
      message: expect.stringContaining(missing),
    }),
  );
});
