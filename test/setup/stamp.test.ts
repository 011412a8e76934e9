import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contentHash, readStamp, writeStamp } from '../../scripts/setup/stamp.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'headroom-stamp-'));
  mkdirSync(path.join(root, 'src', 'inner'), { recursive: true });
  writeFileSync(path.join(root, 'src', 'a.ts'), 'a');
  writeFileSync(path.join(root, 'src', 'inner', 'b.ts'), 'b');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const hash = () => contentHash(root, ['src', 'package.json']);

test.each<[string, () => void]>([
  ['a changed file', () => writeFileSync(path.join(root, 'src', 'inner', 'b.ts'), 'c')],
  ['a new file', () => writeFileSync(path.join(root, 'src', 'c.ts'), '')],
  ['a removed file', () => rmSync(path.join(root, 'src', 'a.ts'))],
  ['a file that was absent', () => writeFileSync(path.join(root, 'package.json'), '{}')],
  [
    'content that moved to another file',
    () => {
      writeFileSync(path.join(root, 'src', 'a.ts'), '');
      writeFileSync(path.join(root, 'src', 'inner', 'b.ts'), 'ab');
    },
  ],
])('%s changes the hash', (_, change) => {
  const before = hash();
  change();
  expect(hash()).not.toBe(before);
});

test('a new time of a file changes nothing', () => {
  const before = hash();
  utimesSync(path.join(root, 'src', 'a.ts'), 1, 1);
  expect(hash()).toBe(before);
});

test('a stamp is what was written last, null before', () => {
  expect(readStamp(root, 'build')).toBeNull();
  writeStamp(root, 'build', 'first');
  writeStamp(root, 'build', 'second');
  expect(readStamp(root, 'build')).toBe('second');
  expect(readStamp(root, 'other')).toBeNull();
});
