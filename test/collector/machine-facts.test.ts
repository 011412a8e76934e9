import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { describe, expect, test } from 'vitest';
import { readKernelFacts, readKernelUnits } from '../../src/collector/machine-facts.ts';
import { ProcFs } from '../../src/collector/procfs/proc-fs.ts';
import { FakeProc } from '../support/fake-proc.ts';

/** An auxiliary vector of 64-bit entries, as latin1 text. */
function auxv(entries: readonly (readonly [type: number, value: number])[]): string {
  const buffer = Buffer.alloc(entries.length * 16);
  entries.forEach(([type, value], index) => {
    buffer.writeBigUInt64LE(BigInt(type), index * 16);
    buffer.writeBigUInt64LE(BigInt(value), index * 16 + 8);
  });
  return buffer.toString('latin1');
}

function unitsOf(content: string | undefined) {
  const fake = new FakeProc();
  if (content !== undefined) fake.machine['self/auxv'] = content;
  return readKernelUnits(fake.procFs);
}

describe('units of the kernel', () => {
  const usual = { clockTicksPerSecond: 100, pageSizeBytes: 4096 };

  test.each([
    // AT_PAGESZ is 6, AT_CLKTCK is 17.
    [
      'large pages, other ticks',
      auxv([
        [33, 7],
        [6, 65_536],
        [17, 250],
        [0, 0],
      ]),
      { clockTicksPerSecond: 250, pageSizeBytes: 65_536 },
    ],
    [
      'zeros',
      auxv([
        [6, 0],
        [17, 0],
      ]),
      usual,
    ],
    ['cut in the middle of an entry', auxv([[6, 16_384]]).slice(0, 12), usual],
    ['nothing', '', usual],
    ['no such file', undefined, usual],
  ])('%s', (_, content, units) => {
    expect(unitsOf(content)).toEqual(units);
  });

  test('of this machine, as getconf(1) tells them', () => {
    const getconf = (name: string) => Number(execFileSync('getconf', [name], { encoding: 'utf8' }));
    expect(readKernelUnits(new ProcFs())).toEqual({
      clockTicksPerSecond: getconf('CLK_TCK'),
      pageSizeBytes: getconf('PAGESIZE'),
    });
  });
});

describe('facts of the machine', () => {
  test('of this one', () => {
    expect(readKernelFacts(new ProcFs())).toEqual({
      bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      kernel: execFileSync('uname', ['-r'], { encoding: 'utf8' }).trim(),
      hostName: os.hostname(),
      cpuCount: os.cpus().length,
    });
  });

  test('a boot id that cannot be read is unknown', () => {
    expect(readKernelFacts(new FakeProc().procFs).bootId).toBeNull();
  });
});
