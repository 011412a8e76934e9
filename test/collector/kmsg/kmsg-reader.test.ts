import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KmsgReader } from '../../../src/collector/kmsg/kmsg-reader.ts';
import { caseRecords } from './case-records.ts';
import { FakeKmsg, type FakeRead } from './fake-kmsg.ts';

// Case 012 has kills at 704,246.384 and 705,437.912 ms of the kernel's clock.
const startedMonotonicMs = 800_000;
const startedUnixMs = 1_800_000_000_000;

function readerOf(reads: readonly FakeRead[], started = startedMonotonicMs) {
  const fake = new FakeKmsg(reads);
  const reader = new KmsgReader({ startedMonotonicMs: started, calls: fake.calls });
  return { fake, reader };
}

function killAt(sequence: number, kernelMs: number, pid = 7): string {
  return `3,${sequence},${kernelMs * 1000},-;Out of memory: Killed process ${pid} (x) total-vm:8kB, anon-rss:4kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0\n`;
}

test('case 012: kills from before the start, in bytes and wall time', () => {
  const { reader } = readerOf(caseRecords('012-oom-6.18-memcg-v1'));
  const { kills, notes } = reader.read(startedMonotonicMs + 5, startedUnixMs + 5);
  expect(notes).toEqual([]);
  expect(kills).toHaveLength(2);
  expect(kills[1]).toEqual({
    kind: 'oom_kill',
    timeUnixMs: expect.closeTo(startedUnixMs - (800_000 - 705_437.912), 3),
    kernelMs: 705_437.912,
    kmsgSequence: 1050,
    pid: 10679,
    comm: 'eat',
    uid: 0,
    rssBytes: 51220 * 1024,
    anonBytes: 50560 * 1024,
    fileBytes: 660 * 1024,
    shmemBytes: 0,
    totalVmBytes: 52316 * 1024,
    pageTablesBytes: 136 * 1024,
    oomScoreAdj: 500,
    scope: 'cgroup',
    constraint: 'CONSTRAINT_MEMCG',
    cgroup: '/needs_t1',
    taskCgroup: '/needs_t1',
    triggerPid: 10679,
    triggerComm: 'eat',
    cgroupUsageBytes: 51200 * 1024,
    cgroupLimitBytes: 51200 * 1024,
    tasksListed: 2,
    largestOtherPid: 10674,
    largestOtherComm: 'bash',
    largestOtherRssBytes: 781 * 4096,
    oomGroup: null,
    context: 'full',
    beforeStart: true,
  });
});

test('case 042: the limit that is none', () => {
  const { reader } = readerOf(caseRecords('042-kmsg-unknown-future'));
  const { kills } = reader.read(startedMonotonicMs, startedUnixMs);
  expect(kills).toMatchObject([{ cgroupUsageBytes: 42240 * 1024, cgroupLimitBytes: null }]);
});

test('names that are not ASCII: as the process table writes them', () => {
  const { reader } = readerOf([
    '6,1,2,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/caf\\xc3\\xa9,task_memcg=/caf\\xc3\\xa9,task=caf\\xc3\\xa9\\xff,pid=7,uid=0\n',
    '3,2,2,-;Memory cgroup out of memory: Killed process 7 (caf\\xc3\\xa9\\xff) total-vm:8kB, anon-rss:4kB, file-rss:0kB, shmem-rss:0kB\n',
  ]);
  const { kills } = reader.read(startedMonotonicMs, startedUnixMs);
  expect(kills).toMatchObject([{ comm: 'café\\xff', cgroup: '/café' }]);
});

test('of a recording that goes on: a kill that it has is not told again, one since its start is no older', () => {
  const times = [700_000, 720_000, 750_000, 790_000];
  const reads = times.map((ms, at) => killAt(at + 1, ms, at + 7));
  const reader = new KmsgReader({
    startedMonotonicMs,
    earlier: { startedMonotonicMs: 710_000, killSequence: 2 },
    calls: new FakeKmsg([...reads]).calls,
  });
  const { kills } = reader.read(startedMonotonicMs, startedUnixMs);
  expect(kills.map((kill) => [kill.kmsgSequence, kill.beforeStart])).toEqual([
    [3, false],
    [4, false],
  ]);
  const none = new KmsgReader({
    startedMonotonicMs,
    earlier: { startedMonotonicMs: 710_000, killSequence: null },
    calls: new FakeKmsg(reads).calls,
  });
  const all = none.read(startedMonotonicMs, startedUnixMs).kills;
  expect(all.map(({ beforeStart }) => beforeStart)).toEqual([true, false, false, false]);
});

describe('time', () => {
  test('a kill while recording is not before the start', () => {
    const { fake, reader } = readerOf([]);
    reader.read(startedMonotonicMs, startedUnixMs);
    fake.reads.push(killAt(1, 800_400));
    const { kills } = reader.read(startedMonotonicMs + 1_000, startedUnixMs + 1_000);
    expect(kills).toMatchObject([{ timeUnixMs: startedUnixMs + 400, beforeStart: false }]);
  });

  test.each([
    ['seconds slow', 795_000, 0],
    ['seconds fast', 805_000, 1_000],
  ])("printk's clock is %s: the kill stays between the two calls", (_, kernelMs, expected) => {
    const { fake, reader } = readerOf([]);
    reader.read(startedMonotonicMs, startedUnixMs);
    fake.reads.push(killAt(1, kernelMs));
    const { kills } = reader.read(startedMonotonicMs + 1_000, startedUnixMs + 1_000);
    expect(kills).toMatchObject([{ timeUnixMs: startedUnixMs + expected, beforeStart: false }]);
  });

  test('a step of the wall clock between two calls does not move the kill within the interval', () => {
    const { fake, reader } = readerOf([]);
    reader.read(startedMonotonicMs, startedUnixMs);
    fake.reads.push(killAt(1, 800_400));
    const { kills } = reader.read(startedMonotonicMs + 1_000, startedUnixMs + 3_601_000);
    expect(kills).toMatchObject([{ timeUnixMs: startedUnixMs + 3_600_400 }]);
  });
});

describe('case 044: nothing but a summary line', () => {
  test('told once, when the grace time is over', () => {
    const started = 511_500;
    const { reader } = readerOf(caseRecords('044-oom-structured-line-only'), started);
    const killsAfter = (ms: number) => reader.read(started + ms, startedUnixMs + ms).kills;
    expect(killsAfter(1_000)).toEqual([]);
    expect(killsAfter(2_000)).toEqual([]);
    expect(killsAfter(5_000)).toMatchObject([
      { pid: 4040, rssBytes: null, timeUnixMs: startedUnixMs + 500, beforeStart: false },
    ]);
    expect(killsAfter(6_000)).toEqual([]);
  });

  test('told by the last call, however early', () => {
    const { reader } = readerOf(caseRecords('044-oom-structured-line-only'), 511_500);
    expect(reader.finish(512_100, startedUnixMs).kills).toMatchObject([{ pid: 4040 }]);
  });
});

describe('case 028: a flood without a victim', () => {
  test('one note with count, first and last time', () => {
    const { reader } = readerOf(caseRecords('028-oom-no-killable-flood'), 4_000);
    const unixMs = Date.UTC(2026, 0, 1);
    const { kills, notes } = reader.read(5_000, unixMs + 1_000);
    expect(kills).toEqual([]);
    expect(notes).toEqual([
      {
        kind: 'note',
        timeUnixMs: expect.closeTo(unixMs + 136.547, 2),
        code: 'oom_without_victim',
        message:
          'Out of memory, and no process that may be killed: 4 × from 2026-01-01T00:00:00.136Z to 2026-01-01T00:00:00.215Z',
      },
    ]);
  });

  test('as long as it goes on, one note a minute', () => {
    const { fake, reader } = readerOf([], 0);
    let sequence = 0;
    let noteCount = 0;
    const end = (ms: number) =>
      `4,${++sequence},${ms * 1000},-;Out of memory and no killable processes...\n`;
    for (let ms = 0; ms < 180_000; ms += 1_000) {
      fake.reads.push(...Array.from({ length: 16 }, () => end(ms)));
      noteCount += reader.read(ms, startedUnixMs + ms).notes.length;
    }
    expect(noteCount).toBe(3);
    expect(reader.finish(180_000, startedUnixMs + 180_000).notes).toMatchObject([
      { message: expect.stringContaining(`: ${59 * 16} × from`) },
    ]);
  });

  test('at most 1,000 records in one call, the rest in the next', () => {
    const records = Array.from({ length: 1_500 }, (_, index) => killAt(index, 1, index));
    const { fake, reader } = readerOf(records);
    expect(reader.read(startedMonotonicMs, startedUnixMs).kills).toHaveLength(1_000);
    expect(fake.readCount).toBe(1_000);
    expect(reader.read(startedMonotonicMs, startedUnixMs).kills).toHaveLength(500);
  });
});

describe('errors of the device', () => {
  test.each(['EACCES', 'EPERM', 'ENOENT'])('%s: one note, then silence', (errno) => {
    const { calls } = new FakeKmsg([], errno);
    const reader = new KmsgReader({ startedMonotonicMs, calls });
    expect(reader.unavailable).toBe(errno);
    expect(reader.read(startedMonotonicMs, startedUnixMs)).toEqual({
      kills: [],
      notes: [
        {
          kind: 'note',
          timeUnixMs: startedUnixMs,
          code: 'kmsg_unavailable',
          message: `/dev/kmsg cannot be read (${errno}): kernel OOM kills show only in the kill counters`,
        },
      ],
    });
    expect(reader.read(startedMonotonicMs, startedUnixMs).notes).toEqual([]);
    reader.close();
  });

  test('a file that is not there', () => {
    const path = new URL('no-such-file', import.meta.url).pathname;
    expect(new KmsgReader({ startedMonotonicMs, path }).unavailable).toBe('ENOENT');
  });

  test('/dev/null in its place', () => {
    const reader = new KmsgReader({ startedMonotonicMs, path: '/dev/null' });
    expect(reader.read(startedMonotonicMs, startedUnixMs).notes).toMatchObject([
      { code: 'kmsg_unavailable', message: expect.stringContaining('end of file') },
    ]);
  });

  test('a failure later on ends it, and closes the file', () => {
    const { fake, reader } = readerOf([killAt(1, 1), { errno: 'EIO' }]);
    expect(reader.read(startedMonotonicMs, startedUnixMs)).toMatchObject({
      kills: [{ pid: 7 }],
      notes: [{ code: 'kmsg_unavailable' }],
    });
    expect(fake.isOpen).toBe(false);
  });

  test('an overrun: told with the number of lost records, and read on', () => {
    const { reader } = readerOf([killAt(1, 1, 5), { errno: 'EPIPE' }, killAt(43, 2, 6)]);
    expect(reader.read(startedMonotonicMs, startedUnixMs)).toMatchObject({
      kills: [{ pid: 5 }, { pid: 6 }],
      notes: [{ code: 'kmsg_overrun', message: expect.stringContaining('41 records lost') }],
    });
    expect(reader.counters).toMatchObject({ sequenceGaps: 1, missedRecords: 41 });
  });

  test('a record that does not fit is lost, the next one of its size is not', () => {
    const long = `6,2,3,-;${'x'.repeat(10_000)}\n`;
    const { reader } = readerOf([{ errno: 'EINVAL' }, long, killAt(3, 1)]);
    const { kills, notes } = reader.read(startedMonotonicMs, startedUnixMs);
    expect(kills).toHaveLength(1);
    expect(notes).toMatchObject([{ code: 'kmsg_overrun' }]);
    expect(reader.counters.unparsedLines).toBe(0);
  });

  test('EINVAL for any buffer ends it', () => {
    const { reader } = readerOf(Array.from({ length: 9 }, () => ({ errno: 'EINVAL' })));
    reader.read(startedMonotonicMs, startedUnixMs);
    expect(reader.unavailable).toBe('EINVAL');
  });

  test('an error that is not of the system is not swallowed', () => {
    const readSync = () => {
      throw new TypeError('a bug');
    };
    const calls = { ...new FakeKmsg([]).calls, readSync };
    const reader = new KmsgReader({ startedMonotonicMs, calls });
    expect(() => reader.read(startedMonotonicMs, startedUnixMs)).toThrow('a bug');
  });
});

test('an idle call is one read, and gives the same empty reading each time', () => {
  const { fake, reader } = readerOf([]);
  const first = reader.read(startedMonotonicMs, startedUnixMs);
  expect(reader.read(startedMonotonicMs + 1, startedUnixMs + 1)).toBe(first);
  expect(fake.readCount).toBe(2);
});

test('after close there is nothing more to read', () => {
  const { fake, reader } = readerOf([killAt(1, 1)]);
  reader.close();
  reader.close();
  expect(reader.read(startedMonotonicMs, startedUnixMs).kills).toEqual([]);
  expect(fake).toMatchObject({ isOpen: false, readCount: 0 });
});

describe('any bytes', () => {
  const genuine = caseRecords('012-oom-6.18-memcg-v1')
    .concat(caseRecords('022-oom-4.9-nodemask'), caseRecords('032-oom-group-6.12'))
    .filter((raw) => /oom|OOM|Kill|Task|\[|memory:|CPU:/.test(raw));
  const bytes = fc.uint8Array({ maxLength: 60 }).map((it) => Buffer.from(it).toString('latin1'));
  // A genuine line with a piece of it replaced by other bytes or by a piece of another line.
  const damaged = fc
    .record({
      raw: fc.constantFrom(...genuine),
      from: fc.nat(300),
      length: fc.nat(40),
      piece: fc.oneof(bytes, fc.constantFrom(...genuine), fc.stringMatching(/^\d{1,400}$/)),
    })
    .map(({ raw, from, length, piece }) => raw.slice(0, from) + piece + raw.slice(from + length));
  const record = fc.oneof(
    bytes,
    damaged,
    fc.constantFrom(...genuine),
    fc.tuple(fc.nat(), bytes).map(([sequence, text]) => `3,${sequence},1,-;${text}`),
  );

  test('no throw, no NaN, no number beyond what is exact', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 30 }), (reads) => {
        const { reader } = readerOf(reads);
        const { kills } = reader.finish(startedMonotonicMs, startedUnixMs);
        for (const kill of kills) {
          const { timeUnixMs, kernelMs, ...rest } = kill;
          expect(Number.isFinite(timeUnixMs) && Number.isFinite(kernelMs)).toBe(true);
          const numbers = Object.values(rest).filter((value) => typeof value === 'number');
          expect(numbers.every(Number.isSafeInteger)).toBe(true);
        }
        expect(Object.values(reader.counters)).not.toContain(Number.NaN);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a user-space OOM daemon that writes into the log', () => {
  const said = 'sending SIGKILL to process 42 uid 0 "chromium": badness 870, VmRSS 412 MiB';
  // Facility 1 is user space: 8 + a level of 4.
  const lineAt = (sequence: number, kernelMs: number, text = `earlyoom[71]: ${said}`) =>
    `12,${sequence},${kernelMs * 1000},-;${text}\n`;

  test('its kill is a note, at its time', () => {
    const { reader } = readerOf([lineAt(7, 800_400)]);
    expect(reader.read(startedMonotonicMs + 500, startedUnixMs + 500)).toEqual({
      kills: [],
      notes: [
        {
          kind: 'note',
          timeUnixMs: startedUnixMs + 400,
          code: 'userspace_oom',
          message: `earlyoom[71]: ${said}`,
        },
      ],
    });
    expect(reader.read(startedMonotonicMs + 600, startedUnixMs + 600).notes).toEqual([]);
  });

  test.each([
    ['from before the start', lineAt(7, 700_000)],
    ['of the kernel itself, which says no such thing', `4,7,800400000,-;${said}\n`],
    ['another line of it', lineAt(7, 800_400, 'earlyoom[71]: mem avail: 18 of 476 MiB')],
  ])('%s: no note', (_, record) => {
    const { reader } = readerOf([record]);
    expect(reader.read(startedMonotonicMs + 500, startedUnixMs + 500).notes).toEqual([]);
  });
});

test('a limit of data is a note, if the kernel itself says so', () => {
  const said =
    'mmap: chromium (926): VmData 1074003968 exceed data ulimit 1073741824. Update limits or use boot option ignore_rlimit_data.';
  const notesOf = (priority: number) =>
    readerOf([`${priority},7,800400000,-;${said}\n`]).reader.read(
      startedMonotonicMs + 500,
      startedUnixMs + 500,
    ).notes;
  expect(notesOf(4)).toMatchObject([{ code: 'data_limit', message: said }]);
  expect(notesOf(12)).toEqual([]);
});
