import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { createSchema } from '../../src/store/schema.ts';
import { SharedTexts } from '../../src/store/shared-texts.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeProcess, fakeSample } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, recordSamples, running } from '../support/record-samples.ts';

let db: Database;
beforeEach(() => {
  db = openDatabase(':memory:', { mode: 'create', busyTimeoutMs: 0 });
  createSchema(db);
});
afterEach(() => db.close());

const stored = () =>
  db
    .prepare<[], { text: number; value: string }>('SELECT text, value FROM process_text')
    .all()
    .map(({ text, value }) => [text, value]);

test('each text once, under its number; none has none', () => {
  const texts = new SharedTexts(db);
  expect(['a', 'b', 'a', null].map((text) => texts.numberOf(text))).toEqual([1, 2, 1, null]);
  expect(stored()).toEqual([
    [1, 'a'],
    [2, 'b'],
  ]);
});

test('what a failed transaction added is added again by the next one', () => {
  const texts = new SharedTexts(db);
  texts.numberOf('a');
  texts.commit();
  db.exec('BEGIN');
  expect(texts.numberOf('b')).toBe(2);
  db.exec('ROLLBACK');
  texts.discard();
  expect([texts.numberOf('c'), texts.numberOf('b'), texts.numberOf('a')]).toEqual([2, 3, 1]);
  expect(stored()).toEqual([
    [1, 'a'],
    [2, 'c'],
    [3, 'b'],
  ]);
});

test('a later run knows the texts that are there', () => {
  new SharedTexts(db).numberOf('a');
  db.exec(`INSERT INTO process_text VALUES (7, 'b')`);
  const texts = new SharedTexts(db);
  expect(['b', 'a', 'c'].map((text) => texts.numberOf(text))).toEqual([7, 1, 8]);
});

test('what is forgotten is stored again when it comes again', () => {
  const texts = new SharedTexts(db);
  for (const text of ['a', 'b', 'c']) texts.numberOf(text);
  texts.commit();
  texts.forgetAllBut(new Set(['b', null]));
  expect(texts.size).toBe(1);
  expect([texts.numberOf('b'), texts.numberOf('a')]).toEqual([2, 4]);
});

describe('in a recording', () => {
  const processOf = (pid: number, command: string) =>
    fakeProcess({ pid, role: 'renderer', command, cgroup: '/session' });
  const commandsOf = (file: string) => {
    using recording = openRecording(file);
    return recording.processes().map(({ command }) => command);
  };

  test('renderers share their command line, and their cgroup', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const processes = Array.from({ length: 30 }, (_, at) => processOf(100 + at, 'chromium'));
    recordSamples(file, [fakeSample({ second: 0, processes })]);
    expect(new Set(commandsOf(file))).toEqual(new Set(['chromium']));
    const shell = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
    expect(shell.prepare('SELECT count(*) FROM process_text').pluck().get()).toBe(2);
    shell.close();
  });

  test('every command line is right, with more of them than are kept by heart, and after a lock', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const writer = StoreWriter.open(file, running, { busyTimeoutMs: 0 });
    const expected: string[] = [];
    for (let second = 0; second < 60; second++) {
      const processes = Array.from({ length: 40 }, (_, at) => {
        const command = `job ${second} ${at % 30}`;
        expected.push(command);
        return processOf(1_000 + second * 40 + at, command);
      });
      const shell = openDatabase(file, { mode: 'write', busyTimeoutMs: 0 });
      if (second % 7 === 3) shell.exec('BEGIN IMMEDIATE');
      writer.writeSample(fakeSample({ second, processes }), []);
      shell.close();
    }
    expect(writer.close(ended)).toEqual({ outcome: 'written' });
    expect(commandsOf(file)).toEqual(expected);
  });
});
