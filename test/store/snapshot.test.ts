import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { checkSeal } from '../../src/store/seal/check-seal.ts';
import { snapshot } from '../../src/store/snapshot.ts';
import { verifyFile } from '../../src/store/verify/verify-file.ts';
import { killedRecording, overwrite, startedRecording } from '../support/damaged-recording.ts';
import { fakeSample } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended } from '../support/record-samples.ts';
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

const writerChild = fileURLToPath(new URL('../support/store-writer-child.ts', import.meta.url));

/** A recorder that writes 100 samples a second, and the numbers of the samples that it says are there. */
function startWriter(path: string): { child: ChildProcess; written(): number[] } {
  const said = folder.file('said');
  const out = fs.openSync(said, 'w');
  const child = spawn(process.execPath, ['--import', 'tsx', writerChild, path, '10'], {
    stdio: ['ignore', out, 'inherit'],
  });
  fs.closeSync(out);
  const written = () => fs.readFileSync(said, 'utf8').split('\n').slice(0, -1).map(Number);
  return { child, written };
}

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
    const { child, written } = startWriter(file);
    const exited = once(child, 'exit');
    try {
      for (let round = 0; round < 3; round++) {
        const before = written().length;
        await expect.poll(() => written().length, { timeout: 60_000 }).toBeGreaterThan(before);
        const last = written().length;
        fs.rmSync(copy, { force: true });
        snapshot(file, copy);
        const verification = verifyFile(copy);
        expect(verification).toMatchObject({ isWhole: true, checked: 'every_byte' });
        expect(verification.contents?.sampleCount).toBeGreaterThanOrEqual(last);
      }
      // A sample that could not be written would not be told of.
      expect(written()).toEqual(written().map((_, at) => at + 1));
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
  });
});

test('of what a killed recorder left, with its log', () => {
  killedRecording(file, { tickCount: 300 });
  snapshot(file, copy);
  expect(verifyFile(copy)).toMatchObject({ isWhole: true, contents: { sampleCount: 300 } });
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
