import fs from 'node:fs';
import { expect, test } from 'vitest';
import { type DeviceCalls, MemoryDevices } from '../../src/collector/memory-devices.ts';

function missing(path: string): never {
  throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
}

function devices(parts: Partial<DeviceCalls>): MemoryDevices {
  return new MemoryDevices({
    readdirSync: missing,
    readFileSync: missing,
    statfsSync: missing,
    ...parts,
  });
}

test('what zram takes is the third figure of mm_stat, added up over the devices', () => {
  // A real line of a device with 4 KiB pages (zram.rst): orig_data_size, compr_data_size, mem_used_total …
  const files = new Map([
    [
      '/sys/block/zram0/mm_stat',
      '  1318912   203862   241664        0   241664      0     0     0\n',
    ],
    ['/sys/block/zram1/mm_stat', '4096 60 8192 0 8192 0 0 0\n'],
  ]);
  const { read } = bound(
    devices({
      readdirSync: () => ['sda', 'zram0', 'zram1', 'zram-control'],
      readFileSync: (path) => files.get(path) ?? missing(path),
    }),
  );
  expect(read()).toEqual({ zramBytes: 241_664 + 8_192, devShmUsedBytes: null });
});

test('no zram is unknown, and so is one that cannot be understood', () => {
  expect(devices({ readdirSync: () => ['sda'] }).read(2 ** 30).zramBytes).toBeNull();
  const broken = { readdirSync: () => ['zram0'], readFileSync: () => 'x y' };
  expect(devices(broken).read(2 ** 30).zramBytes).toBeNull();
});

test('/dev/shm: blocks that are not free', () => {
  const { devShmUsedBytes } = devices({
    statfsSync: () => ({ blocks: 16_384, bfree: 12_288, bsize: 4_096 }),
  }).read(0);
  expect(devShmUsedBytes).toBe(16 * 2 ** 20);
});

test('on this machine it agrees with the kernel', () => {
  const { devShmUsedBytes } = new MemoryDevices().read(0);
  const stat = fs.statfsSync('/dev/shm');
  expect(devShmUsedBytes).toBe((stat.blocks - stat.bfree) * stat.bsize);
});

function bound(source: MemoryDevices) {
  return { read: () => source.read(2 ** 30) };
}
