import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { sqliteDriver } from '../../src/store/choose-driver.ts';
import { nodeSqliteProblem } from '../../src/store/node-sqlite.ts';
import { resultCodeName } from '../../src/store/sqlite-codes.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

// In a process of its own: the addon is loaded once and stays.
const script = (failure: string) => `
  import Module from 'node:module';
  const load = Module._load;
  Module._load = (request, ...rest) => {
    if (request === 'bindings' || request === 'better-sqlite3') ${failure}
    return load(request, ...rest);
  };
  const { StoreWriter } = await import('./src/store/writer.ts');
  const { fakeFacts } = await import('./test/support/fake-sample.ts');
  try {
    StoreWriter.open(process.env.FILE, fakeFacts());
  } catch ({ name, code, message, hint }) {
    console.log(JSON.stringify({ name, code, message, hint }));
  }
`;

const rebuild = /latest Node\.js 22 .*npm rebuild better-sqlite3/;

test.each([
  [
    'was left out by npm',
    `throw Object.assign(new Error("Cannot find module 'better-sqlite3'"),
       { code: 'MODULE_NOT_FOUND' });`,
    /latest Node\.js 22 .*install headroom again where there are python3/,
  ],
  [
    'is not there',
    `throw new Error('Could not locate the bindings file. Tried:\\n → /a/b.node');`,
    rebuild,
  ],
  [
    'was built for another Node.js',
    `throw Object.assign(new Error("The module was compiled against NODE_MODULE_VERSION 127."),
       { code: 'ERR_DLOPEN_FAILED' });`,
    rebuild,
  ],
])('a native addon that %s is ADDON_MISSING, with what to do', (_, failure, hint) => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const output = execFileSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', script(failure)],
    {
      cwd: project,
      encoding: 'utf8',
      env: { ...process.env, FILE: file, HEADROOM_SQLITE_DRIVER: 'better-sqlite3' },
    },
  );
  expect(JSON.parse(output)).toEqual({
    name: 'HeadroomError',
    code: 'ADDON_MISSING',
    message: expect.stringContaining('better-sqlite3 cannot be loaded'),
    hint: expect.stringMatching(hint),
  });
  expect(existsSync(file)).toBe(false);
});

describe('which driver', () => {
  test('the one that is asked for', () => {
    expect(sqliteDriver('better-sqlite3').name).toBe('better-sqlite3');
    expect(() => sqliteDriver('sqlite4')).toThrow(
      expect.objectContaining({
        code: 'DRIVER_UNKNOWN',
        message: 'HEADROOM_SQLITE_DRIVER is "sqlite4"',
        hint: 'Set it to node:sqlite or better-sqlite3, or unset it.',
      }),
    );
  });

  test('else node:sqlite where it is good enough', () => {
    const isGoodEnough = nodeSqliteProblem() === null;
    expect(sqliteDriver('').name).toBe(isGoodEnough ? 'node:sqlite' : 'better-sqlite3');
    if (isGoodEnough) expect(sqliteDriver('node:sqlite').name).toBe('node:sqlite');
    else {
      expect(() => sqliteDriver('node:sqlite')).toThrow(
        expect.objectContaining({ code: 'ADDON_MISSING' }),
      );
    }
  });

  test.each([
    [null, 'has none'],
    ['3.49.1', 'WAL-reset'],
    ['3.51.2', 'WAL-reset'],
  ])('a Node.js with SQLite %s is not', (version, problem) => {
    expect(nodeSqliteProblem(version)).toContain(problem);
  });
});

describe('the names of result codes', () => {
  const header = readFileSync(
    `${project}/node_modules/better-sqlite3/deps/sqlite3/sqlite3.h`,
    'utf8',
  );

  test('are those of SQLite’s own header', () => {
    const names = new Map<number, string>();
    const primary = /^#define (SQLITE_[A-Z]+) +(\d+) +\/\*/gm;
    for (const [, name = '', code] of header
      .slice(0, header.indexOf('SQLITE_ROW'))
      .matchAll(primary)) {
      names.set(Number(code), name);
    }
    const byName = new Map([...names].map(([code, name]) => [name, code]));
    const extended = /^#define (SQLITE_[A-Z_]+) +\((SQLITE_[A-Z]+) *\| *\((\d+)<<8\)\)/gm;
    for (const [, name = '', base = '', step] of header.matchAll(extended)) {
      if (unused.test(name)) continue;
      names.set((byName.get(base) ?? Number.NaN) + 256 * Number(step), name);
    }
    expect(names.size).toBeGreaterThan(90);
    expect([...names].map(([code]) => [code, resultCodeName(code)])).toEqual([...names]);
  });

  test('of a code that is not known yet is that of its kind, or none', () => {
    expect(resultCodeName(13 + 256 * 99)).toBe('SQLITE_FULL');
    expect(resultCodeName(99)).toBeNull();
  });
});

/** Of things that are no failures of a statement. */
const unused = /^SQLITE_(OK|NOTICE|WARNING|AUTH)_/;
