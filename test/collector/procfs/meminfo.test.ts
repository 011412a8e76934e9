import { expect, test } from 'vitest';
import { parseMeminfo } from '../../../src/collector/procfs/meminfo.ts';

function parse(text: string) {
  const bytes = Buffer.from(text);
  return parseMeminfo(bytes, bytes.length);
}

// The order and the neighbours are those of Linux 6.18.
const meminfo = `MemTotal:       24683620 kB
MemFree:         9021140 kB
MemAvailable:   18034512 kB
Buffers:          512340 kB
Cached:          8120004 kB
SwapCached:           16 kB
Active:          3000000 kB
Inactive:        9000000 kB
Active(anon):       8000 kB
Inactive(anon):  4000000 kB
Active(file):    2992000 kB
Inactive(file):  5000000 kB
Unevictable:           0 kB
SwapTotal:       1048576 kB
SwapFree:        1048000 kB
Dirty:                 0 kB
AnonPages:       3700000 kB
Mapped:           900000 kB
Shmem:            290000 kB
KReclaimable:     410000 kB
Slab:             600000 kB
SReclaimable:     410000 kB
SUnreclaim:       190000 kB
KernelStack:       12000 kB
PageTables:        60000 kB
VmallocTotal:   34359738367 kB
ShmemHugePages:        0 kB
`;

test('kB become bytes, also above 2^32', () => {
  expect(parse(meminfo)).toEqual({
    totalBytes: 25_276_026_880,
    freeBytes: 9_237_647_360,
    availableBytes: 18_467_340_288,
    buffersBytes: 524_636_160,
    cachedBytes: 8_314_884_096,
    inactiveFileBytes: 5_120_000_000,
    anonBytes: 3_788_800_000,
    shmemBytes: 296_960_000,
    kernelBytes: (190_000 + 12_000 + 60_000) * 1024,
    swapTotalBytes: 1_073_741_824,
    swapFreeBytes: 1_073_152_000,
  });
});

test('what an old kernel does not tell is null, and so is a sum with it', () => {
  const old = meminfo.replace(/^(MemAvailable|KernelStack):.*\n/gm, '');
  expect(parse(old)).toMatchObject({ availableBytes: null, kernelBytes: null });
});

test('zero is zero', () => {
  const noSwap = meminfo.replace(/^SwapTotal:.*$/m, 'SwapTotal:             0 kB');
  expect(parse(noSwap)?.swapTotalBytes).toBe(0);
});

test.each(['', 'MemFree: 5 kB\n', 'MemTotal: 5 kB\n', 'cpu  1 2 3\n'])('%j is none', (text) => {
  expect(parse(text)).toBeNull();
});
