import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPlace } from '../../../src/host/files/place.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

// secret                outside of the root
// root/tmp/file         and links to everywhere
const folder = temporaryFolder();
const root = folder.file('root');

beforeAll(() => {
  fs.mkdirSync(path.join(root, 'tmp', 'a'), { recursive: true });
  fs.writeFileSync(folder.file('secret'), 'secret');
  fs.writeFileSync(path.join(root, 'tmp', 'file'), 'inside');
  const links = {
    absolute: '/tmp/file',
    relative: '../tmp/file',
    out: '../../../../../../secret',
    machine: folder.file('secret'),
    up: '..',
    loop: 'loop',
    folder: '/tmp',
  };
  for (const [name, target] of Object.entries(links)) {
    fs.symlinkSync(target, path.join(root, 'tmp', name));
  }
});

afterAll(() => folder[Symbol.dispose]());

function read(file: string): string {
  using place = findPlace(root, file);
  return fs.readFileSync(place.path, 'utf8');
}

test.each([
  '/tmp/file',
  '//tmp/./a/../file',
  '/../../tmp/file',
  '/tmp/absolute',
  '/tmp/relative',
  '/tmp/folder/folder/file',
  '/tmp/up/tmp/file',
])('%s is the file in the root', (file) => {
  expect(read(file)).toBe('inside');
});

test.each([
  ['/tmp/out', 'ENOENT'],
  ['/tmp/machine', 'ENOENT'],
  ['/tmp/up/../../../secret', 'ENOENT'],
  ['/../secret', 'ENOENT'],
  ['/tmp/loop', 'too many links'],
  ['/tmp/file/more', 'ENOTDIR'],
  ['tmp/file', 'absolute'],
  ['', 'empty'],
  ['/tmp/\0', 'NUL'],
  [`/${'x'.repeat(5_000)}`, 'longer'],
])('%s: %s', (file, reason) => {
  expect(() => read(file)).toThrow(reason);
});

test('no path leads out of the root, whatever it is made of', () => {
  const parts = [
    '..',
    '.',
    '',
    'tmp',
    'a',
    'file',
    'secret',
    'root',
    'out',
    'machine',
    'up',
    'folder',
  ];
  const paths = fc.array(fc.constantFrom(...parts), { maxLength: 12 });
  fc.assert(
    fc.property(paths, fc.boolean(), (segments, followsLast) => {
      try {
        using place = findPlace(root, `/${segments.join('/')}`, { followsLast });
        const parent = fs.realpathSync(place.path.slice(0, place.path.length - place.name.length));
        expect(`${parent}/`).toMatch(new RegExp(`^${fs.realpathSync(root)}/`));
        expect(place.name).not.toMatch(/^\.\.?$|\//);
      } catch (error) {
        expect(String(error)).toMatch(/ENOENT|ENOTDIR|too many links/);
      }
    }),
    { numRuns: 300 },
  );
});

test('no descriptor stays open', () => {
  const openCount = () => fs.readdirSync('/dev/fd').length;
  const before = openCount();
  for (const file of ['/tmp/file', '/tmp/loop', '/no/such', '/tmp/file/more', '/tmp/up/tmp/file']) {
    try {
      read(file);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  }
  expect(openCount()).toBe(before);
});
