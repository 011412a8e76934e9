import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryBeside } from '../../src/store/temporary-file.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const inFolder = () => fs.readdirSync(folder.path).sort();
const nobodyRuns = () => false;

/** What a run leaves that is killed while it writes to a target. */
function leave(target: string, ending = ''): string {
  const left = temporaryBeside(folder.file(target)) + ending;
  fs.writeFileSync(left, 'half');
  return path.basename(left);
}

test('in the same folder, hidden, and another one each time', () => {
  const names = [1, 2].map(() => temporaryBeside(folder.file('out.ndjson')));
  expect(new Set(names).size).toBe(2);
  for (const name of names) {
    expect(path.dirname(name)).toBe(folder.path);
    expect(path.basename(name)).toMatch(/^\.headroom-[0-9a-f]{16}-\d+-[0-9a-f]{8}\.tmp$/);
  }
});

test('what a killed run left for the same target is removed, with all that belongs to it', () => {
  leave('out.db');
  leave('out.db', '-journal');
  const ofAnother = leave('other.db');
  temporaryBeside(folder.file('out.db'), nobodyRuns);
  expect(inFolder()).toEqual([ofAnother]);
});

test('what a run is writing at this moment stays', () => {
  const left = leave('out.db');
  temporaryBeside(folder.file('out.db'), (pid) => pid === process.pid);
  expect(inFolder()).toEqual([left]);
  // That is this process, which does run.
  temporaryBeside(folder.file('out.db'));
  expect(inFolder()).toEqual([left]);
});

test('files of somebody else stay', () => {
  const names = ['.headroom-out.db', '.headroom-0123456789abcdef-1-00000000.tmp', 'out.db'];
  for (const name of names) fs.writeFileSync(folder.file(name), '');
  temporaryBeside(folder.file('out.db'), nobodyRuns);
  expect(inFolder()).toEqual(names.toSorted());
});

test('a folder that is not there is for the writer to complain of', () => {
  expect(temporaryBeside(folder.file('missing/out.db'))).toContain('missing/.headroom-');
});
