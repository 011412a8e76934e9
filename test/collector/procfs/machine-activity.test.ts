import { describe, expect, test } from 'vitest';
import { parseMachineStat } from '../../../src/collector/procfs/machine-stat.ts';
import { parsePressure } from '../../../src/collector/procfs/pressure.ts';
import { parseVmstat } from '../../../src/collector/procfs/vmstat.ts';

function stat(text: string, tickMs = 10) {
  const bytes = Buffer.from(text);
  return parseMachineStat(bytes, bytes.length, tickMs);
}

describe('/proc/stat', () => {
  test('user includes nice, system includes interrupts; ticks become ms', () => {
    const text = [
      'cpu  1000 20 300 40000 50 6 7 8 9 0',
      'cpu0 1000 20 300 40000 50 6 7 8 9 0',
      'intr 123 0 0',
      'ctxt 99',
      'btime 1795960800',
      'processes 4711',
      'procs_running 1',
      '',
    ].join('\n');
    expect(stat(text)).toEqual({
      cpuUserMs: 10_200,
      cpuSystemMs: 3_130,
      cpuIdleMs: 400_000,
      cpuIowaitMs: 500,
      cpuStealMs: 80,
      forkCount: 4711,
    });
  });

  test('other ticks than 10 ms', () => {
    expect(stat('cpu  100 0 0 0 0 0 0 0\n', 1000 / 250).cpuUserMs).toBe(400);
  });

  test('a kernel without the later columns: unknown', () => {
    expect(stat('cpu  1 2 3 4\n')).toMatchObject({
      cpuUserMs: 30,
      cpuIdleMs: 40,
      cpuSystemMs: null,
      cpuIowaitMs: null,
      cpuStealMs: null,
    });
  });

  test.each(['', 'cpu0 1 2 3 4 5 6 7 8\n', 'cpu  x y z\n', 'cpu 1e999 1 1 1 1 1 1 1'])(
    '%j tells nothing of the user time',
    (text) => {
      expect(stat(text).cpuUserMs).toBeNull();
    },
  );
});

describe('/proc/vmstat', () => {
  function vmstat(text: string) {
    const bytes = Buffer.from(text);
    return parseVmstat(bytes, bytes.length, 4096);
  }

  test('Linux 6.18', () => {
    const text = [
      'nr_free_pages 2255285',
      'workingset_refault_anon 17',
      'workingset_refault_file 4242',
      'allocstall_dma32 1',
      'allocstall_normal 20',
      'allocstall_movable 300',
      'pgsteal_kswapd 100',
      'pgsteal_direct 11',
      'pgsteal_khugepaged 7',
      'pswpin 3',
      'pswpout 5',
      'pgfault 123456',
      'pgmajfault 678',
      'drop_pagecache 0',
      'oom_kill 8',
      'swap_ra 1',
      '',
    ].join('\n');
    expect(vmstat(text)).toEqual({
      majorFaultCount: 678,
      refaultFileCount: 4242,
      refaultAnonCount: 17,
      swapInBytes: 12_288,
      swapOutBytes: 20_480,
      directReclaimCount: 321,
      reclaimedBytes: 111 * 4096,
      oomKillCount: 8,
    });
  });

  test('before 5.9 one refault figure, of file pages; before 4.13 no count of kills', () => {
    expect(vmstat('workingset_refault 99\nworkingset_activate 4\npgmajfault 1\n')).toEqual({
      majorFaultCount: 1,
      refaultFileCount: 99,
      refaultAnonCount: null,
      swapInBytes: null,
      swapOutBytes: null,
      directReclaimCount: null,
      reclaimedBytes: null,
      oomKillCount: null,
    });
  });
});

describe('/proc/pressure', () => {
  function pressure(text: string) {
    const bytes = Buffer.from(text);
    return parsePressure(bytes, bytes.length);
  }

  test.each([
    [
      'both lines',
      'some avg10=1.23 avg60=0.50 avg300=0.10 total=123456789\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=4999\n',
      { someMs: 123_456, fullMs: 4 },
    ],
    [
      'cpu before 5.13 has no full line',
      'some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n',
      { someMs: 1, fullMs: null },
    ],
    ['nothing', '', { someMs: null, fullMs: null }],
    ['no total', 'some avg10=0.00\nfull avg10=0.00\n', { someMs: null, fullMs: null }],
    ['total of one line only', 'some avg10=0.00\nfull total=5000\n', { someMs: null, fullMs: 5 }],
    ['no number', 'some total=x\nfull total=\n', { someMs: null, fullMs: null }],
  ])('%s', (_, text, expected) => {
    expect(pressure(text)).toEqual(expected);
  });
});
