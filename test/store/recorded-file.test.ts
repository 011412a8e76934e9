import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { verifyFile } from '../../src/store/verify/verify-file.ts';
import { StoreWriter, type StoreWriterOptions } from '../../src/store/writer.ts';
import { fakeSample } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, running } from '../support/record-samples.ts';

/** A writer with three samples in its file. */
function threeSamples(file: string, options: StoreWriterOptions = {}): StoreWriter {
  const writer = StoreWriter.open(file, running, options);
  for (let second = 0; second < 3; second++) writer.writeSample(fakeSample({ second }), []);
  expect(writer.writtenCount).toBe(3);
  return writer;
}

const replaced = 'the file was removed or replaced while it was recorded';
const cases: [string, string, (file: string) => void][] = [
  ['removed', 'the file was removed or moved while it was recorded', (file) => rmSync(file)],
  [
    'removed with its log',
    'the file was removed or moved while it was recorded',
    (file) => ['', '-wal', '-shm'].map((part) => rmSync(file + part)),
  ],
  [
    'replaced by a text',
    replaced,
    (file) => {
      rmSync(file);
      writeFileSync(file, 'x'.repeat(9000));
    },
  ],
  [
    'replaced by a copy of itself',
    replaced,
    (file) => {
      copyFileSync(file, `${file}.new`);
      renameSync(`${file}.new`, file);
    },
  ],
  [
    'emptied',
    'the file was cut by another program while it was recorded',
    (file) => truncateSync(file, 0),
  ],
];

test.each(cases)('a file that is %s is not written again, and the end says so', (_, ...rest) => {
  const [message, spoil] = rest;
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const writer = threeSamples(file);
  spoil(file);
  expect(writer.writtenCount).toBe(0);
  expect(writer.writeSample(fakeSample({ second: 3 }), [])).toEqual({
    outcome: 'deferred',
    reason: 'failed',
    pendingCount: 1,
    lostCount: 0,
    message,
  });
  expect(writer.close(ended)).toMatchObject({ outcome: 'deferred', reason: 'failed', message });
  expect(writer.writtenCount).toBe(0);
});

test('is noticed at the end when it happens after the last sample', () => {
  using folder = temporaryFolder();
  const writer = threeSamples(folder.file('a.db'));
  rmSync(folder.file('a.db'));
  expect(writer.close(ended)).toEqual({
    outcome: 'deferred',
    reason: 'failed',
    pendingCount: 0,
    lostCount: 0,
    message: 'the file was removed or moved while it was recorded',
  });
  expect(readdirSync(folder.path)).toEqual(['a.db-wal']);
});

test('moved to another disk it is a copy without its log, which is left for it', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const moved = folder.file('b.db');
  const writer = threeSamples(file);
  // As mv does it.
  copyFileSync(file, moved);
  rmSync(file);
  writer.close(ended);
  expect(readdirSync(folder.path)).toEqual(['a.db-wal', 'b.db']);
  renameSync(`${file}-wal`, `${moved}-wal`);
  using recording = openRecording(moved);
  expect(recording.tickCount()).toBe(3);
});

test('what takes its place is left as it is', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const writer = threeSamples(file);
  rmSync(file);
  writeFileSync(file, 'x'.repeat(9000));
  writer.writeSample(fakeSample({ second: 3 }), []);
  writer.close(ended);
  expect(readFileSync(file, 'utf8')).toBe('x'.repeat(9000));
});

test('a file that is moved away gets the rest at the end, and is whole', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const moved = folder.file('kept/b.db');
  mkdirSync(folder.file('kept'));
  const writer = threeSamples(file);
  renameSync(file, moved);
  expect(writer.writeSample(fakeSample({ second: 3 }), [])).toMatchObject({ reason: 'failed' });
  expect(writer.close(ended)).toEqual({ outcome: 'moved', path: realpathSync(moved) });
  expect(writer.writtenCount).toBe(0);
  expect(readdirSync(folder.path)).toEqual(['kept']);
  expect(readdirSync(folder.file('kept'))).toEqual(['b.db']);
  expect(verifyFile(moved)).toMatchObject({ isWhole: true, checked: 'every_byte' });
  using recording = openRecording(moved);
  expect(recording.tickCount()).toBe(4);
  expect(recording.facts.endReason).toBe('signal');
});

test('what a reader keeps out of a file that was moved is left beside its old name', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const moved = folder.file('b.db');
  const writer = threeSamples(file, { busyTimeoutMs: 0 });
  const reader = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
  reader.exec('BEGIN');
  expect(reader.prepare('SELECT count(*) FROM tick').pluck().get()).toBe(3);
  renameSync(file, moved);
  expect(writer.close(ended)).toMatchObject({ outcome: 'deferred', reason: 'busy' });
  reader.close();
  renameSync(`${file}-wal`, `${moved}-wal`);
  using recording = openRecording(moved);
  expect(recording.tickCount()).toBe(3);
  expect(recording.facts.endReason).toBe('signal');
});

test('a file that is moved away and back is written again', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const writer = threeSamples(file);
  renameSync(file, `${file}.away`);
  writer.writeSample(fakeSample({ second: 3 }), []);
  renameSync(`${file}.away`, file);
  expect(writer.writeSample(fakeSample({ second: 4 }), [])).toEqual({ outcome: 'written' });
  expect(writer.writtenCount).toBe(5);
  expect(writer.close(ended)).toEqual({ outcome: 'written' });
  using recording = openRecording(file);
  expect(recording.tickCount()).toBe(5);
});
