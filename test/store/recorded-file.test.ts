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
import { advanceCursor } from '../../src/store/export-cursor.ts';
import { openRecording } from '../../src/store/reader.ts';
import { sealFile } from '../../src/store/seal/seal-file.ts';
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
  for (const part of ['', '-wal']) rmSync(folder.file(`a.db${part}`));
  expect(writer.close(ended)).toEqual({
    outcome: 'deferred',
    reason: 'failed',
    pendingCount: 0,
    lostCount: 0,
    message: 'the file was removed or moved while it was recorded',
  });
  expect(readdirSync(folder.path)).toEqual([]);
});

test('of samples that there was no room for it is said how many are lost', () => {
  using folder = temporaryFolder();
  const writer = threeSamples(folder.file('a.db'), { pendingCapacity: 2 });
  rmSync(folder.file('a.db'));
  for (let second = 3; second < 8; second++) writer.writeSample(fakeSample({ second }), []);
  expect(writer.close(ended)).toMatchObject({ outcome: 'in_log', missingCount: 3 });
  expect(writer.writtenCount).toBe(0);
});

test('moved to another disk it is a copy without its log, which gets the rest and is left for it', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const moved = folder.file('b.db');
  const writer = threeSamples(file);
  // As mv does it.
  copyFileSync(file, moved);
  rmSync(file);
  expect(writer.writeSample(fakeSample({ second: 3 }), [])).toMatchObject({ reason: 'failed' });
  const log = `${realpathSync(folder.path)}/a.db-wal`;
  expect(writer.close(ended)).toEqual({ outcome: 'in_log', path: null, log, missingCount: 0 });
  expect(writer.writtenCount).toBe(0);
  expect(readdirSync(folder.path)).toEqual(['a.db-wal', 'b.db']);
  renameSync(`${file}-wal`, `${moved}-wal`);
  expect(verifyFile(moved)).toMatchObject({ isWhole: true });
  using recording = openRecording(moved);
  expect(recording.tickCount()).toBe(4);
  expect(recording.facts.endReason).toBe('signal');
});

test('the log of a recording that was moved away is kept for it when its name is used again', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const moved = folder.file('b.db');
  const first = threeSamples(file);
  copyFileSync(file, moved);
  rmSync(file);
  first.close(ended);
  const told: string[] = [];
  const second = threeSamples(file, { onLogAside: (log) => told.push(log) });
  expect(second.close(ended)).toEqual({ outcome: 'written' });
  expect(told).toEqual([`${file}-wal-left-1`]);
  renameSync(`${file}-wal-left-1`, `${moved}-wal`);
  using recording = openRecording(moved);
  expect(recording.tickCount()).toBe(3);
  expect(verifyFile(file)).toMatchObject({ isWhole: true, checked: 'every_byte' });
});

test('nobody begins a recording where a living recorder has its log', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const moved = folder.file('b.db');
  const writer = threeSamples(file);
  renameSync(file, moved);
  const before = readFileSync(`${file}-wal`);
  expect(() => StoreWriter.open(file, running)).toThrow(
    expect.objectContaining({
      code: 'FILE_IN_USE',
      message: `${file}-wal: the log of a recorder that still runs`,
    }),
  );
  expect(readdirSync(folder.path)).toEqual(['a.db-shm', 'a.db-wal', 'b.db']);
  expect(readFileSync(`${file}-wal`).equals(before)).toBe(true);
  expect(writer.close(ended)).toEqual({
    outcome: 'moved',
    path: realpathSync(moved),
    missingCount: 0,
  });
});

test('nobody writes to a file that a living recorder has under another name', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const moved = folder.file('b.db');
  const writer = threeSamples(file);
  renameSync(file, moved);
  const refusal = expect.objectContaining({ code: 'FILE_IN_USE' });
  const position = { sequence: 1, timeUnixMs: null };
  expect(() => advanceCursor(moved, 'otlp', position)).toThrow(refusal);
  expect(() => sealFile(moved)).toThrow(refusal);
  expect(() => StoreWriter.open(moved, running, { resume: true })).toThrow(refusal);
  expect(readdirSync(folder.path)).toEqual(['a.db-shm', 'a.db-wal', 'b.db']);
  expect(verifyFile(moved)).toMatchObject({
    isWhole: true,
    isLive: true,
    remarks: [
      expect.stringContaining(`its log, ${realpathSync(`${file}-wal`)},`),
      'it is being recorded at this moment',
    ],
  });
  writer.close(ended);
  expect(advanceCursor(moved, 'otlp', position)).toMatchObject({ sequence: 1 });
});

test('a file for which somebody has made a log where it was moved is left as it is', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const moved = folder.file('b.db');
  const writer = threeSamples(file);
  renameSync(file, moved);
  writeFileSync(`${moved}-wal`, 'of somebody else');
  const before = readFileSync(moved);
  writer.writeSample(fakeSample({ second: 3 }), []);
  const [path, log] = [realpathSync(moved), realpathSync(`${file}-wal`)];
  expect(writer.close(ended)).toEqual({ outcome: 'in_log', path, log, missingCount: 0 });
  expect(readFileSync(moved).equals(before)).toBe(true);
  expect(readFileSync(`${moved}-wal`, 'utf8')).toBe('of somebody else');
  const copy = folder.file('c.db');
  copyFileSync(moved, copy);
  copyFileSync(log, `${copy}-wal`);
  expect(verifyFile(copy)).toMatchObject({ isWhole: true });
  using recording = openRecording(copy);
  expect(recording.tickCount()).toBe(4);
});

test('a log that a reader left empty where the file was moved is no obstacle', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const moved = folder.file('b.db');
  const writer = threeSamples(file);
  renameSync(file, moved);
  writeFileSync(`${moved}-wal`, '');
  expect(writer.close(ended)).toMatchObject({ outcome: 'moved' });
  expect(readdirSync(folder.path)).toEqual(['b.db']);
  expect(verifyFile(moved)).toMatchObject({ isWhole: true, checked: 'every_byte' });
});

test('a file that is moved with its log is whole there', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const moved = folder.file('b.db');
  const writer = threeSamples(file);
  for (const part of ['', '-wal', '-shm']) renameSync(file + part, moved + part);
  expect(writer.close(ended)).toMatchObject({ outcome: 'moved' });
  expect(readdirSync(folder.path)).toEqual(['b.db']);
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
  expect(writer.close(ended)).toEqual({
    outcome: 'moved',
    path: realpathSync(moved),
    missingCount: 0,
  });
  expect(writer.writtenCount).toBe(4);
  expect(readdirSync(folder.path)).toEqual(['kept']);
  expect(readdirSync(folder.file('kept'))).toEqual(['b.db']);
  expect(verifyFile(moved)).toMatchObject({ isWhole: true, checked: 'every_byte' });
  using recording = openRecording(moved);
  expect(recording.tickCount()).toBe(4);
  expect(recording.facts.endReason).toBe('signal');
});

test('of a file that was moved and is read the log stays beside it', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  const moved = folder.file('b.db');
  const writer = threeSamples(file, { busyTimeoutMs: 0 });
  const reader = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
  reader.exec('BEGIN');
  expect(reader.prepare('SELECT count(*) FROM tick').pluck().get()).toBe(3);
  renameSync(file, moved);
  expect(writer.close(ended)).toMatchObject({ outcome: 'moved' });
  reader.close();
  expect(readdirSync(folder.path)).toContain('b.db-wal');
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
