import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RecordingFolder } from '../../../../src/cli/serve/page/recording-folder.ts';
import { temporaryFolder } from '../../../support/headroom-cli.ts';

let folder: ReturnType<typeof temporaryFolder>;
let source: string;
let nowMs = 0;

beforeEach(() => {
  folder = temporaryFolder();
  source = folder.file('source');
  mkdirSync(source);
  for (const name of ['b.db', 'a.db', 'notes.txt']) writeFileSync(path.join(source, name), 'x');
  mkdirSync(path.join(source, 'folder.db'));
  writeFileSync(folder.file('secret.db'), 'x');
});
afterEach(() => folder[Symbol.dispose]());

const namesOf = (of: RecordingFolder) => [...of.files().keys()];

test('has the recordings of a folder, by name, and no folders', () => {
  expect(namesOf(new RecordingFolder(source))).toEqual(['a.db', 'b.db']);
});

test('has one file when it was given one, also when that is a link', () => {
  symlinkSync(folder.file('secret.db'), folder.file('link.db'));
  expect(namesOf(new RecordingFolder(folder.file('secret.db')))).toEqual(['secret.db']);
  expect(namesOf(new RecordingFolder(folder.file('link.db')))).toEqual(['link.db']);
});

describe('nothing outside of it', () => {
  test.each(['../secret.db', 'x/../../secret.db', '/etc/passwd', '', '.', 'a.db/', 'a.db\0'])(
    '%j is not there',
    (name) => {
      expect(new RecordingFolder(source).find(name)).toBeNull();
    },
  );

  test('a link that leads out is not there, one within is', () => {
    symlinkSync(folder.file('secret.db'), path.join(source, 'out.db'));
    symlinkSync('../secret.db', path.join(source, 'up.db'));
    symlinkSync(path.join(source, 'a.db'), path.join(source, 'in.db'));
    symlinkSync(path.join(source, 'gone'), path.join(source, 'nowhere.db'));
    expect(namesOf(new RecordingFolder(source))).toEqual(['a.db', 'b.db', 'in.db']);
  });

  test.each(['-wal', '-journal'])('a file whose %s leads out is not there', (log) => {
    writeFileSync(folder.file(`secret.db${log}`), 'x');
    symlinkSync(folder.file(`secret.db${log}`), path.join(source, `a.db${log}`));
    writeFileSync(path.join(source, `b.db${log}`), 'x');
    expect(namesOf(new RecordingFolder(source))).toEqual(['b.db']);
  });

  test('a folder whose name begins with its name is another one', () => {
    mkdirSync(`${source}-other`);
    writeFileSync(`${source}-other/c.db`, 'x');
    symlinkSync(`${source}-other/c.db`, path.join(source, 'c.db'));
    expect(new RecordingFolder(source).find('c.db')).toBeNull();
  });
});

test('is looked at once a second; what was written to has another stamp', () => {
  nowMs = 0;
  const files = new RecordingFolder(source, () => nowMs);
  const before = files.find('a.db')?.stamp;
  writeFileSync(path.join(source, 'a.db'), 'longer');
  expect(files.find('a.db')?.stamp).toBe(before);
  nowMs = 1_000;
  expect(files.find('a.db')?.stamp).not.toBe(before);
  rmSync(source, { recursive: true });
  nowMs = 2_000;
  expect(namesOf(files)).toEqual([]);
});
