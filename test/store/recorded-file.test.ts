import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeSample } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, running } from '../support/record-samples.ts';

/** A writer with three samples in its file. */
function threeSamples(file: string): StoreWriter {
  const writer = StoreWriter.open(file, running);
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
  expect(readdirSync(folder.path)).toEqual([]);
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

test('a file that is moved away has what was written before, and is whole without its log', () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  mkdirSync(folder.file('kept'));
  const writer = threeSamples(file);
  renameSync(file, folder.file('kept/b.db'));
  expect(writer.writeSample(fakeSample({ second: 3 }), [])).toMatchObject({ reason: 'failed' });
  writer.close(ended);
  expect(readdirSync(folder.path)).toEqual(['kept']);
  using recording = openRecording(folder.file('kept/b.db'));
  expect(recording.tickCount()).toBe(3);
  expect(recording.facts.endReason).toBe('lost');
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
