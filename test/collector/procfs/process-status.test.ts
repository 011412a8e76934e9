import { expect, test } from 'vitest';
import { parseProcessStatus } from '../../../src/collector/procfs/process-status.ts';
import { parseSmapsRollup } from '../../../src/collector/procfs/smaps-rollup.ts';
import { caseBytes } from '../../support/cases.ts';

function parse<T>(parser: (buffer: Buffer, length: number) => T, text: string | Buffer): T {
  const bytes = Buffer.from(text);
  return parser(bytes, bytes.length);
}

test('case 011: the figures stand behind a name that is not UTF-8', () => {
  const bytes = caseBytes('011-comm-not-utf8/utf8.status');
  const kb = (key: string) =>
    Number(new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(bytes.toString('latin1'))?.[1]);
  expect(kb('VmHWM')).toBeGreaterThan(0);
  expect(parse(parseProcessStatus, bytes)).toEqual({
    peakRssBytes: kb('VmHWM') * 1024,
    shmemBytes: kb('RssShmem') * 1024,
    swapBytes: kb('VmSwap') * 1024,
  });
});

test.each(['kthread', 'zombie'])('case 003: a %s has none of the lines', (kind) => {
  const bytes = caseBytes(`003-kthread-and-zombie-have-no-memory/${kind}/status`);
  const nothing = { peakRssBytes: null, shmemBytes: null, swapBytes: null };
  expect(parse(parseProcessStatus, bytes)).toEqual(nothing);
});

test('a name that looks like a line of the file changes nothing', () => {
  // The kernel escapes a line feed in the name of status (but not in stat).
  const status = 'Name:\tVmHWM:\t7 kB\nState:\tS (sleeping)\nVmHWM:\t     300 kB\n';
  expect(parse(parseProcessStatus, status).peakRssBytes).toBe(300 * 1024);
});

// As Linux 6.18 prints it.
const rollup = `5581ba3f7000-7ffd2f1a6000 ---p 00000000 00:00 0                          [rollup]
Rss:              213292 kB
Pss:              128757 kB
Pss_Dirty:         39704 kB
Pss_Anon:          35852 kB
Pss_File:          89053 kB
Pss_Shmem:          3852 kB
Shared_Clean:      93376 kB
Swap:                 12 kB
SwapPss:               4 kB
Locked:                0 kB
`;

test('smaps_rollup', () => {
  expect(parse(parseSmapsRollup, rollup)).toEqual({
    pssBytes: 131_847_168,
    pssAnonBytes: 36_712_448,
    pssShmemBytes: 3_944_448,
    swapBytes: 12_288,
  });
});

test('before Linux 5.4 the parts of PSS are unknown', () => {
  const old = rollup.replace(/^Pss_.*\n/gm, '');
  expect(parse(parseSmapsRollup, old)).toMatchObject({
    pssBytes: 131_847_168,
    pssAnonBytes: null,
    pssShmemBytes: null,
  });
});

test.each(['', 'Rss: 5 kB\n', rollup.replace('\nPss: ', '\nPzz: ')])('no Pss line', (text) => {
  expect(parse(parseSmapsRollup, text)).toBeNull();
});
