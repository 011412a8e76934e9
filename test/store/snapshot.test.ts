import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { checkSeal } from '../../src/store/seal/check-seal.ts';
import { snapshot } from '../../src/store/snapshot.ts';
import { verifyFile } from '../../src/store/verify/verify-file.ts';
import {
  flipByte,
  killedRecording,
  overwrite,
  startedRecording,
} from '../support/damaged-recording.ts';
import { fakeSample } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended } from '../support/record-samples.ts';
import { RecorderProcess } from '../support/recorder-process.ts';
import { syntheticFacts } from '../support/synthetic-session.ts';
import { mountTmpfs } from '../support/tmpfs.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
let copy: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = folder.file('a.db');
  fs.mkdirSync(folder.file('copies'));
  copy = folder.file('copies/b.db');
});
afterEach(() => folder[Symbol.dispose]());

describe('a snapshot of a live recording', () => {
  test('has all that was written when it was taken, in one file that verifies by itself', () => {
    const writer = startedRecording(file, { tickCount: 130 });
    expect(fs.statSync(`${file}-wal`).size).toBeGreaterThan(0);
    snapshot(file, copy);
    expect(writer.writeSample(fakeSample({ second: 5000 }), [])).toEqual({ outcome: 'written' });
    expect(writer.close(ended)).toEqual({ outcome: 'written' });

    expect(fs.readdirSync(folder.file('copies'))).toEqual(['b.db']);
    expect(verifyFile(copy)).toMatchObject({
      isWhole: true,
      checked: 'every_byte',
      contents: { sampleCount: 130 },
    });
    using recording = openRecording(copy);
    using original = openRecording(file);
    expect(recording.isLive).toBe(false);
    expect(recording.facts).toEqual({ ...syntheticFacts(), endReason: 'copied' });
    expect(original.facts.endReason).toBe(ended.endReason);
    const untilUnixMs = recording.lastTick()?.timeUnixMs ?? 0;
    expect([...recording.ticks()]).toEqual([...original.ticks({ toUnixMs: untilUnixMs })]);
    expect(fs.readdirSync(folder.file('copies'))).toEqual(['b.db']);
    const said = execFileSync('sqlite3', [
      copy,
      'PRAGMA integrity_check; SELECT count(*) FROM tick',
    ]);
    expect(said.toString()).toBe('ok\n130\n');
  });

  test('holds back no recorder that writes 100 samples a second, and is whole every time', async () => {
    const session = { seed: 1, processCount: 20, skippedTicks: 0, tickCount: 100_000 };
    const recorder = new RecorderProcess(file, { ...session, pauseMs: 10 });
    try {
      for (let round = 0; round < 3; round++) {
        const before = recorder.state.committedCount;
        await recorder.until(({ committedCount }) => committedCount > before);
        const last = recorder.state.committedCount;
        fs.rmSync(copy, { force: true });
        snapshot(file, copy);
        const verification = verifyFile(copy);
        expect(verification).toMatchObject({ isWhole: true, checked: 'every_byte' });
        expect(verification.contents?.sampleCount).toBeGreaterThanOrEqual(last);
      }
    } finally {
      await recorder.kill();
    }
    expect(recorder.state).toMatchObject({ stage: 'recording', deferredCount: 0 });
  });
});

test('of which a byte changed on its way is found not to be whole', () => {
  startedRecording(file, { tickCount: 130 });
  snapshot(file, copy);
  const { size } = fs.statSync(copy);
  // The header, a page in the middle, the checksums, the footer.
  for (const offset of [30, Math.floor(size / 2), size - 100, size - 1]) {
    flipByte(copy, offset, 1);
    expect(verifyFile(copy).isWhole, `byte ${offset}`).toBe(false);
    flipByte(copy, offset, 1);
  }
  expect(verifyFile(copy)).toMatchObject({ isWhole: true, checked: 'every_byte' });
});

test('of what a killed recorder left, with its log', () => {
  killedRecording(file, { tickCount: 300 });
  snapshot(file, copy, { isAlive: () => false });
  expect(verifyFile(copy)).toMatchObject({ isWhole: true, contents: { sampleCount: 300 } });
  using recording = openRecording(copy);
  expect(recording.facts.endReason).toBe('lost');
  expect(fs.readdirSync(folder.path).toSorted()).toEqual(['a.db', 'a.db-wal', 'copies']);
});

test('of a damaged recording is refused', () => {
  killedRecording(file, { tickCount: 300 });
  fs.rmSync(`${file}-wal`);
  overwrite(file, 4096 * 6, Buffer.alloc(4096 * 30, 0xa5));
  expect(() => snapshot(file, copy)).toThrow(expect.objectContaining({ code: 'FILE_CORRUPT' }));
});

describe('onto a disk that is full', () => {
  const diskBytes = 4 * 2 ** 20;
  const full = expect.objectContaining({
    code: 'STORE_FULL',
    message: expect.stringContaining('/disk/b.db: no space left'),
  });

  test.each([0, 0.5, 1])('but for %d of the pages', (part) => {
    startedRecording(file, { tickCount: 100 }).close(ended);
    snapshot(file, copy);
    const seal = checkSeal(copy);
    const pages = seal.state === 'intact' ? seal.pageCount : 0;
    using disk = mountTmpfs(folder.file('disk'), diskBytes);
    if (disk === null) return;
    const roomBytes = Math.floor(pages * part) * 4096;
    fs.writeFileSync(folder.file('disk/ballast'), Buffer.alloc(diskBytes - roomBytes));
    expect(() => snapshot(file, folder.file('disk/b.db'))).toThrow(full);
  });
});
