import fs from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import type { Recording } from '../../../src/model/recording.ts';
import { openDatabase } from '../../../src/store/driver.ts';
import { type IntactFile, IntactFiles } from '../../../src/store/fleet/intact-file.ts';
import { RecordingSlot } from '../../../src/store/fleet/recording-slot.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { sealFile } from '../../../src/store/seal/seal-file.ts';
import { fleetRecording } from '../../support/fleet-recordings.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/** The same session id, seconds and change counter throughout: only their bytes tell them apart. */
function made(name: string, usedMib: readonly number[], sql?: string): string {
  const file = folder.file(name);
  fleetRecording(file, { id: name, usedMib });
  if (sql === undefined) return file;
  const db = openDatabase(file, { mode: 'write', busyTimeoutMs: 0 });
  db.exec(sql);
  db.close();
  sealFile(file);
  return file;
}

function intact(files: IntactFiles, path: string): IntactFile {
  const file = files.read(path);
  if (file === null) throw new Error(`${path} is not intact`);
  return file;
}

function told(recording: Recording) {
  const { facts, path } = recording;
  const ticks = [...recording.ticks()].map(({ machine }) => machine.freeBytes);
  return { path, facts, gist: recording.gist(), ticks, events: recording.events() };
}

function toldInPlace(path: string) {
  using recording = openRecording(path);
  return told(recording);
}

test('each recording says in the slot what it says in its place, whatever was there before', () => {
  const files = new IntactFiles();
  using slot = new RecordingSlot();
  const paths = [
    made('a.db', [300, 310]),
    made('b.db', [500, 400]),
    made(
      'long.db',
      Array.from({ length: 200 }, (_, second) => 200 + (second % 50)),
    ),
    made('c.db', [600]),
    // Tables in other places, and one more of them; then as before.
    made('other.db', [700], 'CREATE TABLE more (a, b); INSERT INTO more VALUES (1, 2)'),
    made('d.db', [350]),
  ];
  for (const path of [...paths, ...paths.toReversed()]) {
    expect(slot.read(path, intact(files, path), told)).toEqual(toldInPlace(path));
  }
});

test('what throws in the middle of a recording does not keep its pages', () => {
  const files = new IntactFiles();
  using slot = new RecordingSlot();
  const [first, second] = [made('first.db', [300, 310, 320]), made('second.db', [400, 410, 420])];
  expect(() =>
    slot.read(first, intact(files, first), (recording) => {
      recording.ticks().next();
      throw new Error('enough');
    }),
  ).toThrow('enough');
  expect(slot.read(second, intact(files, second), told)).toEqual(toldInPlace(second));
});

test('what is not as it was sealed is not intact, and another format is not for the slot', () => {
  const files = new IntactFiles();
  const path = made('e.db', [300]);
  const bytes = fs.readFileSync(path);
  for (const at of [30, 5000, bytes.length - 80, bytes.length - 1]) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(bytes.readUInt8(at) ^ 4, at);
    fs.writeFileSync(folder.file('flipped.db'), flipped);
    expect(files.read(folder.file('flipped.db'))).toBeNull();
  }
  fs.writeFileSync(folder.file('cut.db'), bytes.subarray(0, -100));
  expect(files.read(folder.file('cut.db'))).toBeNull();
  using slot = new RecordingSlot();
  const old = made('old.db', [300], 'PRAGMA user_version = 1');
  expect(slot.read(old, intact(files, old), told)).toBeNull();
});
