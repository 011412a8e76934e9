import { expect, test } from 'vitest';
import type { ExitNotice } from '../../../src/collector/exits/exit-watcher.ts';
import { ProcessExits } from '../../../src/collector/exits/process-exits.ts';
import { fakeProcess, fakeSample, startUnixMs } from '../../support/fake-sample.ts';

const gpu = { pid: 9, startTicks: 90, role: 'gpu', browserPid: 100 } as const;
const living = fakeSample({ second: 0, processes: [fakeProcess(gpu)] });
const gone = fakeSample({ second: 1 });

function notice(exitCode: number): ExitNotice {
  const monotonicMs = living.monotonicMs + 500;
  return { pid: 9, exitCode, signal: null, timeUnixMs: startUnixMs + 500, monotonicMs };
}

/** Gives the notices of one drain after the other. */
class FakeWatcher {
  readonly counters = { overruns: 0, dropped: 0, malformed: 0 };
  unavailableReason: string | null = null;
  isClosed = false;
  hurryCount = 0;
  readonly #drains: ExitNotice[][];

  constructor(...drains: ExitNotice[][]) {
    this.#drains = drains;
  }

  drain(): ExitNotice[] {
    return this.#drains.shift() ?? [];
  }

  hurry(): void {
    this.hurryCount++;
  }

  close(): void {
    this.isClosed = true;
  }
}

function exitsOf(watcher: FakeWatcher | null): ProcessExits {
  let ms = living.monotonicMs;
  return new ProcessExits(watcher, {
    wallMs: () => startUnixMs + ms - living.monotonicMs,
    monotonicMs: () => {
      ms += 1001;
      return ms;
    },
  });
}

const told = { kind: 'process_exit', pid: 9, role: 'gpu', source: 'connector' };
const vanished = { kind: 'process_exit', pid: 9, exitCode: null, signal: null, source: 'vanished' };

test('an end with its code', () => {
  const exits = exitsOf(new FakeWatcher([], [notice(3)]));
  expect(exits.read(living, [])).toEqual([]);
  expect(exits.read(gone, [gpu])).toEqual([
    { ...told, timeUnixMs: startUnixMs + 500, startTicks: 90, exitCode: 3, signal: null },
  ]);
});

test('the helper is asked as soon as somebody is gone, and not before', () => {
  const watcher = new FakeWatcher([], [], [notice(3)]);
  const exits = exitsOf(watcher);
  exits.read(living, []);
  expect(watcher.hurryCount).toBe(0);
  expect(exits.read(gone, [gpu])).toEqual([]);
  expect(watcher.hurryCount).toBe(1);
  expect(exits.read(gone, [])).toEqual([expect.objectContaining({ ...told, exitCode: 3 })]);
  expect(watcher.hurryCount).toBe(1);
});

test('the last sample gives the kernel a moment', async () => {
  const watcher = new FakeWatcher([], [], [notice(3)]);
  const exits = exitsOf(watcher);
  exits.read(living, []);
  expect(await exits.readLast(gone, [gpu])).toEqual([
    expect.objectContaining({ ...told, exitCode: 3 }),
  ]);
  expect(watcher.hurryCount).toBe(1);
});

test('and then tells what it knows', async () => {
  const exits = exitsOf(new FakeWatcher());
  exits.read(living, []);
  expect(await exits.readLast(gone, [gpu])).toEqual([expect.objectContaining(vanished)]);
});

test('where nothing is heard it is said once, and absence is noticed at once', () => {
  const watcher = new FakeWatcher();
  watcher.unavailableReason = 'bind: EPERM (needs root, or CAP_NET_ADMIN)';
  const exits = exitsOf(watcher);
  expect(exits.read(living, [])).toEqual([
    {
      kind: 'note',
      timeUnixMs: startUnixMs,
      code: 'exits_unavailable',
      message: expect.stringContaining('bind: EPERM (needs root, or CAP_NET_ADMIN)'),
    },
  ]);
  expect(exits.read(gone, [gpu])).toEqual([expect.objectContaining(vanished)]);
});

test('no watcher: only absence, and nothing to say about it', () => {
  const exits = exitsOf(null);
  expect(exits.read(living, [])).toEqual([]);
  expect(exits.read(gone, [gpu])).toEqual([expect.objectContaining(vanished)]);
  exits.close();
});

test('what was lost is told: at once, and the rest at the end', async () => {
  const watcher = new FakeWatcher();
  const exits = exitsOf(watcher);
  watcher.counters.overruns = 2;
  const note = { kind: 'note', code: 'exits_lost' };
  expect(exits.read(living, [])).toEqual([
    { ...note, timeUnixMs: startUnixMs, message: expect.stringMatching(/ 2 × at 2026/) },
  ]);
  watcher.counters.dropped = 5;
  expect(exits.read(gone, [])).toEqual([]);
  expect(await exits.readLast(gone, [])).toEqual([
    { ...note, timeUnixMs: gone.timeUnixMs, message: expect.stringMatching(/ 5 × at 2026/) },
  ]);
  exits.close();
  expect(watcher.isClosed).toBe(true);
});
