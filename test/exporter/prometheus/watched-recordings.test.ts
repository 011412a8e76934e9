import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { WatchedRecordings } from '../../../src/exporter/prometheus/watched-recordings.ts';
import type { HeadroomError } from '../../../src/model/errors.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { StoreWriter } from '../../../src/store/writer.ts';
import { fakeFacts, fakeSample, mib, startUnixMs } from '../../support/fake-sample.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';

const machine = { totalBytes: 1024 * mib, freeBytes: 500 * mib, inactiveFileBytes: 0 };

test('a folder: what is recorded, what has ended, what cannot be read; other files are none of it', async () => {
  using folder = temporaryFolder();
  const live = record(folder.file('live.db'), 'live-1', 20);
  record(folder.file('ended.db'), 'ended-1', 20).close({
    endedUnixMs: startUnixMs + 19_000,
    endReason: 'signal',
  });
  writeFileSync(folder.file('broken.db'), 'SQLite format 3\0 and then nonsense'.repeat(40));
  writeFileSync(folder.file('notes.txt'), 'x');
  symlinkSync('/nowhere', folder.file('dangling.db'));
  const { watch, problems } = watching(folder.path);

  expect(await states(watch)).toEqual({
    'broken.db': 'unreadable',
    'ended.db': 'ended',
    'live.db': 'live',
  });
  expect(problems.map(({ code }) => code)).toEqual(['FILE_CORRUPT']);

  live.close({ endedUnixMs: startUnixMs + 19_000, endReason: 'signal' });
  expect((await states(watch))['live.db']).toBe('ended');
  rmSync(folder.file('broken.db'));
  expect(Object.keys(await states(watch))).toEqual(['ended.db', 'live.db']);
  // Told once, not with every scrape.
  expect(problems).toHaveLength(1);
});

test('a file that is over is not opened again, until it is written anew', async () => {
  using folder = temporaryFolder();
  const file = folder.file('a.db');
  record(file, 'first', 20).close({ endedUnixMs: startUnixMs + 19_000, endReason: 'signal' });
  const { watch, opened, clock } = watching(folder.path);
  await watch();
  clock.unixMs += 400_000;
  await watch();
  expect(opened).toHaveLength(2);
  for (let look = 0; look < 5; look++) expect(await states(watch)).toEqual({ 'a.db': 'ended' });
  expect(opened).toHaveLength(2);

  rmSync(file);
  clock.unixMs = startUnixMs + 19_000;
  using writer = held(record(file, 'second', 20));
  expect((await watch()).files[0]).toMatchObject({ state: 'live', sessionId: 'second' });
  expect(writer.isOpen).toBe(true);
});

test('one that ended long before the server began is not read for its figures', async () => {
  using folder = temporaryFolder();
  const file = folder.file('old.db');
  record(file, 'old', 20).close({ endedUnixMs: startUnixMs + 19_000, endReason: 'signal' });
  utimesSync(file, startUnixMs / 1000, startUnixMs / 1000);
  const { watch, opened, clock } = watching(folder.path);
  clock.unixMs = startUnixMs + 301_000;
  expect(await states(watch)).toEqual({ 'old.db': 'ended' });
  expect(opened).toEqual([]);
});

test('a link that leads out of the folder is not there, one within is', async () => {
  using folder = temporaryFolder();
  mkdirSync(folder.file('served'));
  using outside = held(record(folder.file('secret.db'), 'secret', 20));
  using inside = held(record(folder.file('served/a.db'), 'a', 20));
  symlinkSync('../secret.db', folder.file('served/out.db'));
  symlinkSync('a.db', folder.file('served/in.db'));
  const { watch, problems } = watching(folder.file('served'));
  expect((await watch()).files.map(({ path, sessionId }) => [basename(path), sessionId])).toEqual([
    ['a.db', 'a'],
    ['in.db', 'a'],
  ]);
  expect([problems, outside.isOpen, inside.isOpen]).toEqual([[], true, true]);
});

describe('what cannot be read does not become ended by its age', () => {
  const lateUnixMs = startUnixMs + 20_000 + 3_600_000;

  test.each([
    ['an error page', '<!doctype html><h1>503</h1>', 'FILE_NOT_A_DATABASE'],
    ['nonsense', 'SQLite format 3\0 and then nonsense'.repeat(40), 'FILE_CORRUPT'],
    ['nothing', '', 'FILE_EMPTY'],
  ])('%s: while it is watched, and for a server that begins then', async (_, text, code) => {
    using folder = temporaryFolder();
    const file = folder.file('broken.db');
    writeFileSync(file, text);
    utimesSync(file, startUnixMs / 1000, startUnixMs / 1000);
    const first = watching(folder.path);
    expect(await states(first.watch)).toEqual({ 'broken.db': 'unreadable' });
    first.clock.unixMs = lateUnixMs;
    const second = watching(folder.path);
    second.clock.unixMs = lateUnixMs;
    for (const { watch, problems } of [first, second]) {
      for (let look = 0; look < 3; look++) {
        expect(await states(watch)).toEqual({ 'broken.db': 'unreadable' });
      }
      expect(problems.map((problem) => problem.code)).toEqual([code]);
    }
    rmSync(file);
    record(file, 'a', 20).close({ endedUnixMs: startUnixMs + 19_000, endReason: 'signal' });
    expect(await states(first.watch)).toEqual({ 'broken.db': 'ended' });
  });
});

test('however often it is asked, the files are read once a second', async () => {
  using folder = temporaryFolder();
  using _ = held(record(folder.file('a.db'), 'a', 20));
  const { recordings, opened, clock } = watching(folder.path);
  const first = await recordings.read();
  expect(await recordings.read()).toBe(first);
  clock.monotonicMs += 999;
  expect(await recordings.read()).toBe(first);
  clock.monotonicMs += 1;
  expect(await recordings.read()).not.toBe(first);
  expect(opened).toHaveLength(2);
});

test('what has just ended is opened once while its figures are shown, and once more when they are not', async () => {
  using folder = temporaryFolder();
  recordEnded(folder.file('a.db'));
  const { watch, opened, clock } = watching(folder.path);
  const shown = (await watch()).files[0]?.figures?.points.length;
  expect(shown).toBeGreaterThan(0);
  // Five minutes after its end, to the millisecond.
  clock.unixMs = startUnixMs + 319_000;
  expect((await watch()).files[0]?.figures?.points).toHaveLength(shown ?? 0);
  expect(opened).toHaveLength(1);
  clock.unixMs += 1;
  expect((await watch()).files[0]).toMatchObject({ state: 'ended', figures: null });
  await watch();
  expect(opened).toHaveLength(2);
});

test('others have their turn between two files, and who asks meanwhile gets the same look', async () => {
  using folder = temporaryFolder();
  recordEnded(folder.file('a.db'), folder.file('b.db'), folder.file('c.db'));
  const { recordings, opened } = watching(folder.path);
  const openedAtTurns: number[] = [];
  const turn = () => {
    openedAtTurns.push(opened.length);
    if (opened.length < 3) setImmediate(turn);
  };
  const first = recordings.read();
  setImmediate(turn);
  const second = recordings.read();
  expect(await first).toBe(await second);
  expect(openedAtTurns).toContain(1);
  expect(opened).toHaveLength(3);
});

test('a server that is asked to end does not look at the rest', async () => {
  using folder = temporaryFolder();
  recordEnded(folder.file('a.db'), folder.file('b.db'));
  const ending = new AbortController();
  const opened: string[] = [];
  const recordings = new WatchedRecordings(folder.path, {
    onProblem: () => undefined,
    now: () => startUnixMs + 20_000,
    signal: ending.signal,
    open: (path) => {
      ending.abort();
      opened.push(basename(path));
      return openRecording(path);
    },
  });
  await recordings.read();
  expect(opened).toEqual(['a.db']);
});

describe('read ahead', () => {
  test('what is over is not opened again by who asks', async () => {
    using folder = temporaryFolder();
    recordEnded(folder.file('a.db'), folder.file('b.db'));
    const { recordings, watch, opened, clock } = watching(folder.path);
    clock.unixMs += 400_000;
    await recordings.readAhead();
    expect(opened).toHaveLength(2);
    expect(await states(watch)).toEqual({ 'a.db': 'ended', 'b.db': 'ended' });
    expect(opened).toHaveLength(2);
  });

  test('who asks meanwhile gets all of them, each opened once', async () => {
    using folder = temporaryFolder();
    recordEnded(folder.file('a.db'), folder.file('b.db'));
    const { recordings, watch, opened, clock } = watching(folder.path);
    clock.unixMs += 400_000;
    const ahead = recordings.readAhead();
    expect(await states(watch)).toEqual({ 'a.db': 'ended', 'b.db': 'ended' });
    await ahead;
    expect(opened).toHaveLength(2);
  });
});

describe('one file', () => {
  test('is all there is, whatever it is called', async () => {
    using folder = temporaryFolder();
    using _ = held(record(folder.file('task'), 'a', 20));
    record(folder.file('other.db'), 'b', 20).close({
      endedUnixMs: startUnixMs,
      endReason: 'signal',
    });
    expect(await states(watching(folder.file('task')).watch)).toEqual({ task: 'live' });
  });

  test('that is not there is FILE_NOT_FOUND', async () => {
    await expect(watching('/nowhere/at-all.db').watch()).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
  });
});

function watching(source: string) {
  const clock = { unixMs: startUnixMs + 20_000, monotonicMs: 0 };
  const opened: string[] = [];
  const problems: HeadroomError[] = [];
  const recordings = new WatchedRecordings(source, {
    onProblem: (error) => problems.push(error),
    now: () => clock.unixMs,
    monotonicMs: () => clock.monotonicMs,
    open: (path) => {
      opened.push(path);
      return openRecording(path);
    },
  });
  const watch = () => {
    clock.monotonicMs += 1000;
    return recordings.read();
  };
  return { recordings, watch, clock, opened, problems };
}

async function states(
  watch: ReturnType<typeof watching>['watch'],
): Promise<Record<string, string>> {
  const { files } = await watch();
  return Object.fromEntries(files.map(({ path, state }) => [path.split('/').at(-1) ?? '', state]));
}

function record(file: string, id: string, seconds: number): StoreWriter {
  const writer = StoreWriter.open(file, fakeFacts({ id, endedUnixMs: null, endReason: null }));
  for (let second = 0; second < seconds; second++) {
    writer.writeSample(fakeSample({ second, machine }), []);
  }
  return writer;
}

function recordEnded(...files: string[]): void {
  for (const file of files) {
    record(file, file, 20).close({ endedUnixMs: startUnixMs + 19_000, endReason: 'signal' });
  }
}

function held(writer: StoreWriter) {
  return {
    isOpen: true,
    [Symbol.dispose]: () =>
      void writer.close({ endedUnixMs: startUnixMs + 20_000, endReason: 'signal' }),
  };
}
