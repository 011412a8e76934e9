import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { roleOfCommand } from '../../../src/collector/chromium/command-line.ts';
import { parseMachineStat } from '../../../src/collector/procfs/machine-stat.ts';
import { parseMeminfo } from '../../../src/collector/procfs/meminfo.ts';
import { parseOomScoreAdj } from '../../../src/collector/procfs/oom-score-adj.ts';
import { parsePressure } from '../../../src/collector/procfs/pressure.ts';
import { parseProcessCgroup } from '../../../src/collector/procfs/process-cgroup.ts';
import { parseProcessIo } from '../../../src/collector/procfs/process-io.ts';
import { parseProcessStat } from '../../../src/collector/procfs/process-stat.ts';
import { parseProcessStatus } from '../../../src/collector/procfs/process-status.ts';
import { parseSmapsRollup } from '../../../src/collector/procfs/smaps-rollup.ts';
import { parseStatm } from '../../../src/collector/procfs/statm.ts';
import { parseVmstat } from '../../../src/collector/procfs/vmstat.ts';
import { processRoles } from '../../../src/model/process-role.ts';

type Parser = (buffer: Buffer, length: number) => object | null;

const parsers: [string, Parser, string][] = [
  [
    'process-stat',
    parseProcessStat,
    '7 (a b) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 9 0 123 4096 50 0',
  ],
  ['statm', parseStatm, '56218 18095 11200 57000 0 9000 0\n'],
  ['status', parseProcessStatus, 'Name:\ta\nVmHWM:\t 5 kB\nRssShmem:\t 6 kB\nVmSwap:\t 7 kB\n'],
  ['smaps_rollup', parseSmapsRollup, 'x [rollup]\nPss: 5 kB\nPss_Anon: 4 kB\nSwap: 3 kB\n'],
  ['meminfo', parseMeminfo, 'MemTotal: 10 kB\nMemFree: 5 kB\nShmem: 1 kB\nSUnreclaim: 1 kB\n'],
  [
    'vmstat',
    (buffer, length) => parseVmstat(buffer, length, 4096),
    'pswpin 3\npgmajfault 5\noom_kill 1\n',
  ],
  [
    'stat',
    (buffer, length) => parseMachineStat(buffer, length, 10),
    'cpu  1 2 3 4 5 6 7 8 9 10\nprocesses 4\n',
  ],
  ['io', parseProcessIo, 'syscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n'],
  [
    'oom_score_adj',
    (buffer, length) => ({ oomScoreAdj: parseOomScoreAdj(buffer, length) }),
    '-300\n',
  ],
  [
    'cgroup',
    (buffer, length) => ({ path: parseProcessCgroup(buffer, length) }),
    '4:memory:/s\n0::/\n',
  ],
  ['pressure', parsePressure, 'some avg10=0.00 total=5000\nfull avg10=0.00 total=6\n'],
];

// What turns a number into something else, and bytes of any kind.
const damage = fc.oneof(
  fc.constantFrom('', '9'.repeat(400), '1e999', '-', '0x', 'NaN', 'Infinity', '\0', '\n', ' ', ')'),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);

describe.each(parsers)('%s', (_, parse, good) => {
  const damaged = fc
    .tuple(fc.nat(good.length), fc.nat(8), damage)
    .map(([at, cut, text]) => good.slice(0, at) + text + good.slice(at + cut))
    .map((text) => Buffer.from(text, 'latin1'));
  const anyBytes = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes));

  test('any bytes: never throws, never a number that is none', () => {
    fc.assert(
      fc.property(fc.oneof(damaged, anyBytes), fc.nat(3), (bytes, left) => {
        // The buffer is shared: it is longer than what was read.
        const buffer = Buffer.concat([bytes, Buffer.alloc(left, '9')]);
        for (const value of Object.values(parse(buffer, bytes.length) ?? {})) {
          if (typeof value === 'number') expect(value).toSatisfy(Number.isFinite);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

test('any command line has a role of the list, or none', () => {
  const word = fc.oneof(
    fc.string({ maxLength: 12, unit: 'binary' }),
    fc.constantFrom(
      '/usr/lib/chromium/chromium',
      '--type=renderer',
      '--type=utility',
      '--type=',
      '--type=constructor',
      '--type=__proto__',
      '--utility-sub-type=a.b.toString',
      '--utility-sub-type=',
      '--extension-process',
    ),
  );
  const cmdline = fc
    .tuple(fc.array(word, { maxLength: 6 }), fc.constantFrom('\0', ' '), fc.constantFrom('', '\0'))
    .map(([words, separator, end]) => words.join(separator) + end);
  const executable = fc.oneof(fc.constantFrom('chromium', 'exe', 'node'), fc.constant(null));
  fc.assert(
    fc.property(cmdline, executable, fc.string({ maxLength: 15 }), (line, exe, comm) => {
      const role = roleOfCommand({ cmdline: line, executable: exe, comm });
      expect([null, 'perhaps_browser', ...processRoles]).toContain(role);
    }),
    { numRuns: 2_000 },
  );
});
