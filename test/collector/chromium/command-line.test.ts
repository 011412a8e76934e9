import { describe, expect, test } from 'vitest';
import {
  baseName,
  roleOfCommand,
  splitCommandLine,
} from '../../../src/collector/chromium/command-line.ts';
import { caseBytes, caseJson } from '../../support/cases.ts';
import { commandLines } from '../../support/chromium-processes.ts';

describe('case 050: Chromium 156, arguments by NUL and by blank', () => {
  const folder = '050-cmdline-joined-by-spaces';
  const types = caseJson<Record<string, string>>(`${folder}/expected.json`);
  // Chromium's type in the case; our roles name the two services of a utility by their sub-type.
  const roles: Record<string, string> = {
    ...types,
    '25955': 'gpu',
    '25962': 'network',
    '25971': 'storage',
  };

  test.each(Object.entries(roles))('%s is a %s', (pid, role) => {
    const source = {
      cmdline: caseBytes(`${folder}/${pid}/cmdline`).toString('latin1'),
      comm: caseBytes(`${folder}/${pid}/comm`).toString('latin1').trim(),
    };
    expect(roleOfCommand({ ...source, executable: 'chromium' })).toBe(role);
    // The executable of another user's process may not be read.
    expect(roleOfCommand({ ...source, executable: null })).toBe(role);
  });
});

describe('role', () => {
  test.each<[string, string, string | null, string | null]>([
    ['audio', commandLines.audio, 'chromium', 'utility'],
    ['extension', commandLines.extension, 'chromium', 'extension'],
    ['crashpad', commandLines.crashpad, 'chrome_crashpad_handler', 'crashpad'],
    ['crashpad of another user', commandLines.crashpad, null, 'crashpad'],
    ['a type that we do not know', '/opt/chrome/chrome --type=nacl-loader\0', 'chrome', 'utility'],
    ['a utility without a sub-type', '/opt/chrome/chrome --type=utility\0', 'chrome', 'utility'],
    ['old headless', '/tmp/headless_shell\0--headless\0', 'headless_shell', 'browser'],
    ['the browser without an argument', '/opt/chrome/chrome\0', 'chrome', 'perhaps_browser'],
    ['a browser with a page', '/opt/chrome/chrome\0http://a/\0', 'chrome', 'perhaps_browser'],
    ['a browser with a flag', '/opt/chrome/chrome\0--user-data-dir=/u d\0', 'chrome', 'browser'],
    ['a copy of sleep', '/tmp/chromium\x0060\0', 'chromium', 'perhaps_browser'],
    ['a flag of another name', '/tmp/chrome\0--headlessly\0', 'chrome', 'perhaps_browser'],
    ['a child of a brand that we do not know', '/x/vivaldi-bin --type=zygote\0', null, 'zygote'],
    ['node', '/usr/bin/node\0task.js\0--type=x\0', 'node', null],
    ['a shell', '/bin/sh\0-c\0chromium --headless\0', 'dash', null],
    ['the wrapper script', '/bin/sh\0/usr/bin/chromium\0--headless\0', 'dash', null],
    ['pgrep', 'pgrep\0-f\0chromium\0', 'pgrep', null],
  ])('%s', (_, cmdline, executable, role) => {
    expect(roleOfCommand({ cmdline, executable, comm: 'x' })).toBe(role);
  });

  test('the wrapper script is named chromium and is none', () => {
    const cmdline = '/bin/sh\0/usr/bin/chromium\0--headless\0';
    expect(roleOfCommand({ cmdline, executable: 'dash', comm: 'chromium' })).toBeNull();
  });

  test('the first --type counts: user data comes after it', () => {
    const cmdline = '/x/chromium --type=renderer --type=browser --lang=en\0';
    expect(roleOfCommand({ cmdline, executable: 'chromium', comm: 'chromium' })).toBe('renderer');
  });

  test('words that every object knows are no types', () => {
    for (const word of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const types = `/x/chromium\0--type=${word}\0`;
      const subTypes = `/x/chromium\0--type=utility\0--utility-sub-type=a.${word}\0`;
      for (const cmdline of [types, subTypes]) {
        expect(roleOfCommand({ cmdline, executable: 'chromium', comm: 'c' })).toBe('utility');
      }
    }
  });

  // Zombies have no command line; a child that renames itself shows NULs for a moment (case 048,
  // pid 27419).
  test.each<[string, string, string | null, string | null]>([
    ['', 'chromium', null, 'other'],
    ['\0'.repeat(40), 'chromium', 'chromium', 'other'],
    ['', 'chrome_crashpad', null, 'crashpad'],
    // What 15 bytes leave of chrome-headless-shell.
    ['', 'chrome-headless', null, 'other'],
    ['', 'python3', null, null],
    ['', 'chromium', 'dash', null],
  ])('without a command line %#: the name', (cmdline, comm, executable, role) => {
    expect(roleOfCommand({ cmdline, executable, comm })).toBe(role);
  });
});

test.each([
  ['NULs', 'a\0b c\0--d\0', ['a', 'b c', '--d']],
  ['blanks', 'a b --user-data-dir=/u d --x\0\0', ['a b', '--user-data-dir=/u d', '--x']],
  ['an empty argument', 'a\0\0b\0', ['a', '', 'b']],
  ['one word', 'a\0', ['a']],
  ['NULs only', '\0\0\0', []],
  ['nothing', '', []],
])('split by %s', (_, cmdline, args) => {
  expect(splitCommandLine(cmdline)).toEqual(args);
});

test.each([
  ['/a/b', 'b'],
  ['b', 'b'],
  ['/', ''],
  ['', ''],
])('base name of %j', (path, name) => {
  expect(baseName(path)).toBe(name);
});
