import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HeadroomError } from '../../src/model/errors.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { thisRecorder } from '../../src/store/recorder-lock.ts';
import { StoreWriter, type StoreWriterOptions } from '../../src/store/writer.ts';
import { asNobody } from '../support/as-nobody.ts';
import { caseBytes } from '../support/cases.ts';
import { fakeSample } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, recordSamples, running } from '../support/record-samples.ts';

describe('a file that is there already', () => {
  function refusal(file: string, options: StoreWriterOptions = {}, facts = running): HeadroomError {
    try {
      StoreWriter.open(file, facts, options);
    } catch (error) {
      if (error instanceof HeadroomError) return error;
      throw error;
    }
    throw new Error('it was opened');
  }

  test.each([
    ['text', Buffer.from('hello, this is my diary\n')],
    ['HTML (case 092)', caseBytes('092-sqlite-not-a-database/html.db')],
    ['another database (case 086)', caseBytes('086-sqlite-copied-without-wal/pulled.db')],
  ])('is not overwritten: %s', (_, bytes) => {
    using folder = temporaryFolder();
    writeFileSync(folder.file('a.db'), bytes);
    expect(refusal(folder.file('a.db'))).toMatchObject({ code: 'FILE_EXISTS' });
    expect(readFileSync(folder.file('a.db'))).toEqual(bytes);
    expect(readdirSync(folder.path)).toEqual(['a.db']);
  });

  test('is not overwritten: the recording of another session', () => {
    using folder = temporaryFolder();
    recordSamples(folder.file('a.db'), [fakeSample({ second: 0 })]);
    const before = readFileSync(folder.file('a.db'));
    const other = refusal(folder.file('a.db'), {}, { ...running, id: 'another' });
    expect(other).toMatchObject({ code: 'FILE_EXISTS' });
    expect(other.message).toContain(running.id);
    expect(readFileSync(folder.file('a.db'))).toEqual(before);
  });

  test('is used when it is empty', () => {
    using folder = temporaryFolder();
    writeFileSync(folder.file('a.db'), '');
    recordSamples(folder.file('a.db'), [fakeSample({ second: 0 })]);
    using recording = openRecording(folder.file('a.db'));
    expect(recording.tickCount()).toBe(1);
  });

  test('is refused when a newer version wrote it', () => {
    using folder = temporaryFolder();
    recordSamples(folder.file('a.db'), []);
    const db = openDatabase(folder.file('a.db'), { mode: 'write', busyTimeoutMs: 0 });
    db.pragma('user_version = 4');
    db.close();
    expect(refusal(folder.file('a.db'))).toMatchObject({ code: 'FILE_TOO_NEW' });
  });

  test.each([
    ["UPDATE session SET labels = 'null'", 'the session has wrong labels'],
    ['DROP TABLE session', 'no such table: session'],
    ['DROP TABLE tick_setting', 'no such table: tick_setting'],
  ])('is refused when it was changed by hand: %s', (sql, message) => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    recordSamples(file, [fakeSample({ second: 0 })]);
    const views = ['PRAGMA writable_schema=ON', "DELETE FROM sqlite_schema WHERE type='view'"];
    execFileSync('sqlite3', [file, views.join(';')]);
    execFileSync('sqlite3', [file, sql]);
    const error = refusal(file);
    expect(error).toMatchObject({ code: 'FILE_CORRUPT' });
    expect(error.message).toContain(file);
    expect(error.message).toContain(message);
  });

  test('is refused when it is damaged', () => {
    using folder = temporaryFolder();
    const bytes = caseBytes('092-sqlite-not-a-database/header.db');
    writeFileSync(folder.file('a.db'), bytes);
    expect(refusal(folder.file('a.db'))).toMatchObject({ code: 'FILE_CORRUPT' });
  });

  test.each([
    ['no/such/folder/a.db', 'the folder does not exist'],
    ['.', 'is a folder'],
  ])('or cannot be there is said so: %s', (name, what) => {
    using folder = temporaryFolder();
    const error = refusal(folder.file(name));
    expect(error).toMatchObject({ code: 'FILE_NOT_WRITABLE' });
    expect(error.message).toContain(what);
  });

  test('or may not be made or changed is said so', () => {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o755);
    recordSamples(folder.file('a.db'), []);
    for (const name of ['a.db', 'b.db']) {
      const error = asNobody(() => refusal(folder.file(name)));
      expect(error).toMatchObject({ code: 'FILE_NOT_WRITABLE' });
    }
  });

  test('is refused while another recorder writes it (case 094)', () => {
    using folder = temporaryFolder();
    const writer = StoreWriter.open(folder.file('a.db'), running);
    const error = refusal(folder.file('a.db'));
    expect(error).toMatchObject({ code: 'FILE_IN_USE' });
    expect(error.message).toContain(`process ${process.pid} `);
    expect(refusal(folder.file('a.db'), { resume: true })).toMatchObject({ code: 'FILE_IN_USE' });
    expect(writer.writeSample(fakeSample({ second: 0 }), [])).toEqual({ outcome: 'written' });
    writer.close(ended);
  });

  test.each([
    ['a pid that is gone', { pid: 2 ** 22 + 1 }],
    ['a pid that another program has now', { startTicks: 1 }],
    ['another boot', { bootId: '00000000-0000-4000-8000-000000000000' }],
  ])('is taken over from a recorder that is dead: %s', (_, identity) => {
    using folder = temporaryFolder();
    const recorder = { ...thisRecorder(), ...identity };
    const killed = StoreWriter.open(folder.file('a.db'), running, { recorder });
    killed.writeSample(fakeSample({ second: 0 }), []);
    const next = StoreWriter.open(folder.file('a.db'), running);
    next.writeSample(fakeSample({ second: 1, sequence: 1 }), []);
    next.close(ended);
    using recording = openRecording(folder.file('a.db'));
    expect([...recording.ticks()].map(({ sequence }) => sequence)).toEqual([1, 2]);
  });
});
