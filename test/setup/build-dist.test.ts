import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildDist } from '../../scripts/setup/build-dist.mjs';

const project = fileURLToPath(new URL('../..', import.meta.url));

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'headroom-build-'));
  for (const file of ['tsconfig.json', 'tsconfig.build.json', 'package.json']) {
    copyFileSync(path.join(project, file), path.join(root, file));
  }
  for (const name of ['typescript', '@typescript', '@types']) {
    const target = path.join(project, 'node_modules', name);
    mkdirSync(path.join(root, 'node_modules'), { recursive: true });
    if (existsSync(target)) symlinkSync(target, path.join(root, 'node_modules', name));
  }
  write('src/cli/headroom.cts', '#!/usr/bin/env node\nvoid import("../a.ts");\n');
  write('src/a.ts', 'export const a: number = 1;\n');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}

const built = (file: string) => path.join(root, 'dist', file);

test('is built once, runnable, and again when the source changes', async () => {
  expect(await buildDist(root)).toBe('built');
  expect(statSync(built('cli/headroom.cjs')).mode & 0o777).toBe(0o755);
  expect(readFileSync(built('cli/headroom.cjs'), 'utf8')).toContain('../a.js');
  expect(await buildDist(root)).toBe('unchanged');

  write('src/a.ts', 'export const a: number = 2;\n');
  expect(await buildDist(root)).toBe('built');
  expect(readFileSync(built('a.js'), 'utf8')).toContain('2');
});

test('the recorder is one file, that loads its packages from where they are', async () => {
  write('node_modules/peer/package.json', '{ "type": "module", "exports": "./peer.js" }');
  write('node_modules/peer/peer.d.ts', 'export const b: number;\n');
  write(
    'src/cli/recorder.ts',
    '// What it is.\nexport { a } from "../a.ts";\nexport { b } from "peer";\n',
  );
  await buildDist(root);
  const recorder = readFileSync(built('cli/recorder.cjs'), 'utf8');
  expect(recorder).toContain('a=1');
  expect(recorder.match(/require\("[^"]*"\)/g)).toEqual(['require("peer")']);
  expect(existsSync(built('cli/recorder.js'))).toBe(false);
  expect(await buildDist(root)).toBe('unchanged');
});

test('what no source stands for is removed', async () => {
  write('src/old.ts', 'export {};\n');
  await buildDist(root);
  rmSync(path.join(root, 'src/old.ts'));
  expect(await buildDist(root)).toBe('built');
  expect(existsSync(built('old.js'))).toBe(false);
});

test.each([
  ['removed', () => rmSync(built('a.js'))],
  ['changed', () => writeFileSync(built('a.js'), 'export {};')],
])('a file of dist that was %s is built again', async (_, damage) => {
  await buildDist(root);
  damage();
  expect(await buildDist(root)).toBe('built');
  expect(readFileSync(built('a.js'), 'utf8')).toContain('const a = 1');
});

test('an error in the source is told, and is not forgotten by the next run', async () => {
  write('src/a.ts', 'export const a: number = "one";\n');
  await expect(buildDist(root)).rejects.toThrow('src/a.ts(1,14)');
  await expect(buildDist(root)).rejects.toThrow('src/a.ts(1,14)');
});
