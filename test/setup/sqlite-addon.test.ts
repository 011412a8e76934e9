import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  prebuildFolder,
  prebuildName,
  provideSqliteAddon,
} from '../../scripts/setup/sqlite-addon.mjs';

const project = fileURLToPath(new URL('../..', import.meta.url));
const addon = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';

let root: string;
let cacheFolder: string;
let builds: number;

/** Stands for the compiler: puts the addon of this project in place. */
async function build() {
  builds += 1;
  cpSync(path.join(project, addon), path.join(root, addon));
}

const provide = () => provideSqliteAddon(root, { cacheFolder, build });

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'headroom-addon-'));
  cacheFolder = path.join(root, 'cache');
  builds = 0;
  for (const part of ['better-sqlite3/package.json', 'better-sqlite3/lib', 'bindings']) {
    cpSync(path.join(project, 'node_modules', part), path.join(root, 'node_modules', part), {
      recursive: true,
    });
  }
  cpSync(
    path.join(project, 'node_modules/file-uri-to-path'),
    path.join(root, 'node_modules/file-uri-to-path'),
    { recursive: true },
  );
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the SQLite addon', () => {
  test('is built once, then taken from the cache, then left alone', async () => {
    expect(await provide()).toMatch(/^built; kept as /);
    rmSync(path.join(root, addon));
    expect(await provide()).toMatch(/^taken from /);
    expect(await provide()).toBe('works');
    expect(builds).toBe(1);
  });

  test.each([
    ['no archive', (file: string) => writeFileSync(file, 'not a gzip file')],
    ['an archive of a broken addon', packBrokenAddon],
  ])('a cache with %s is replaced by a build', async (_, damage) => {
    mkdirSync(cacheFolder, { recursive: true });
    damage(path.join(cacheFolder, prebuildName(root)));
    expect(await provide()).toMatch(/^built; kept as /);
    rmSync(path.join(root, addon));
    expect(await provide()).toMatch(/^taken from /);
    expect(builds).toBe(1);
  });

  test('one that works already is put into the cache, for others', async () => {
    await build();
    expect(await provide()).toBe('works');
    rmSync(path.join(root, addon));
    expect(await provide()).toMatch(/^taken from /);
  });

  test('a cache that cannot be written does not matter', async () => {
    writeFileSync(cacheFolder, 'a file where the folder should be');
    expect(await provide()).toBe('built');
    expect(existsSync(path.join(root, addon))).toBe(true);
  });

  test('a build that does not load is an error', async () => {
    const broken = async () => {
      mkdirSync(path.dirname(path.join(root, addon)), { recursive: true });
      writeFileSync(path.join(root, addon), 'not an addon');
    };
    await expect(provideSqliteAddon(root, { cacheFolder, build: broken })).rejects.toThrow(
      'does not load',
    );
  });
});

test("the cached file has the name that better-sqlite3's installer looks for", () => {
  const question = `
    const rc = require('prebuild-install/rc')(require('./package.json'));
    const options = { ...rc, pkg: require('./package.json') };
    console.log(require('prebuild-install/util').getDownloadUrl(options));`;
  const url = execFileSync(process.execPath, ['-e', question], {
    cwd: path.join(project, 'node_modules/better-sqlite3'),
    encoding: 'utf8',
  });
  expect(path.basename(url.trim())).toBe(prebuildName(project));
});

test.each([
  [{ XDG_CACHE_HOME: '/c', HOME: '/h' }, '/c/headroom/prebuilds'],
  [{ HOME: '/h' }, '/h/.cache/headroom/prebuilds'],
])('the cache folder with %j', (env, folder) => {
  expect(prebuildFolder(env)).toBe(folder);
});

function packBrokenAddon(file: string) {
  const folder = mkdtempSync(path.join(root, 'broken-'));
  const inner = 'build/Release/better_sqlite3.node';
  mkdirSync(path.join(folder, 'build/Release'), { recursive: true });
  writeFileSync(path.join(folder, inner), '\x7fELF and then nothing');
  execFileSync('tar', ['-czf', file, '-C', folder, inner]);
}
