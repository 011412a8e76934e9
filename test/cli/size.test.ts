import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../src/cli/command.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { sizeCommand } from '../../src/cli/size.ts';
import { fakeFacts, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { recordSamples } from '../support/record-samples.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

beforeAll(() => {
  for (let number = 0; number < 20; number++) {
    const facts = fakeFacts({
      id: `session-${number}`,
      startedUnixMs: startUnixMs + number * 3_600_000,
      labels: { workload: number < 12 ? 'shop' : 'search' },
      endedUnixMs: null,
      endReason: null,
    });
    // 400 to 495 MiB, in an order without a trend.
    const usedMib = 400 + 5 * ((number * 11) % 20);
    const machine = {
      totalBytes: 978 * mib,
      freeBytes: (978 - usedMib) * mib,
      availableBytes: (978 - usedMib) * mib,
      inactiveFileBytes: 0,
      swapTotalBytes: 0,
    };
    recordSamples(folder.file(`${number}.db`), [fakeSample({ second: 0, machine })], { facts });
  }
});

async function run(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const io = { stdout, stderr, env: {}, signal, hurry: signal };
  const exitCode = await sizeCommand.run(parseArguments(sizeCommand, args), io);
  return { exitCode, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

test('a folder: what the data supports, and how many more it takes', async () => {
  const { exitCode, stdout, stderr } = await run(folder.path);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout.split('\n').slice(0, 7)).toEqual([
    '1 GiB for now; 99 % is not proven',
    '  20 of 20 fit in 1 GiB: at least 86 % at 95 % confidence; for 99 % it takes 279',
    '  more sessions that fit.',
    '',
    'Demand of 20 sessions',
    '              p50      p90      p95      p99      max',
    '  demand  445 MiB  485 MiB  490 MiB  495 MiB  495 MiB',
  ]);
  expect(stdout).toContain('Estimate, not proven');
  expect(stdout).toContain('No trend (Mann–Kendall');
  // Of 400 to 495 MiB a rise by a fifth stands out, one by a tenth does not.
  const [, rise] = /risen evenly by (\d+) %/.exec(stdout.replaceAll(/\s+/g, ' ')) ?? [];
  expect(Number(rise)).toBeGreaterThan(10);
  expect(Number(rise)).toBeLessThan(30);
});

test('JSON of schema 1, with the fields that programs rely on', async () => {
  const args = [
    folder.path,
    '--json',
    '--tier',
    '8GiB,512MiB',
    '--fit',
    '80%',
    '--confidence',
    '0.9',
  ];
  const { exitCode, stdout } = await run(...args, '--by', 'workload');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    schemaVersion: 1,
    sessions: 20,
    censored: 0,
    demandBytes: { p50: 445 * mib, max: 495 * mib },
    recommendation: {
      // 512 − 8 − 32 MiB less a tenth are 424.8 MiB.
      tierBytes: 8192 * mib,
      fitRatio: 0.8,
      confidence: 0.9,
      reachable: true,
    },
    tiers: [
      { bytes: 512 * mib, sessionsFit: 5, wouldHaveOomed: 15 },
      { bytes: 8192 * mib, sessionsFit: 20, wouldHaveOomed: 0 },
    ],
    groups: [
      { label: 'workload', value: 'search', sessions: 8 },
      { label: 'workload', value: 'shop', sessions: 12 },
    ],
  });
});

test('a folder is searched to its end, as fleet import does', async () => {
  using deep = temporaryFolder();
  fs.mkdirSync(deep.file('a/b'), { recursive: true });
  fs.copyFileSync(folder.file('1.db'), deep.file('1.db'));
  fs.copyFileSync(folder.file('2.db'), deep.file('a/b/2.db'));
  const { exitCode, stdout } = await run(deep.path, '--json');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ sessions: 2, skipped: [] });
});

test('a folder without recordings', async () => {
  using empty = temporaryFolder();
  const { exitCode, stderr } = await run(empty.path);
  expect([exitCode, stderr]).toEqual([
    1,
    'headroom size: there is no recording (.db) in these folders\n',
  ]);
});

test('a damaged file among others: named, and the others answered', async () => {
  const damaged = folder.file('damaged.sqlite');
  fs.writeFileSync(damaged, '<html>not found</html>');
  const { exitCode, stdout, stderr } = await run(damaged, folder.file('1.db'), folder.file('2.db'));
  expect(exitCode).toBe(0);
  expect(stdout).toContain('2 of 2 fit in 1 GiB');
  expect(stderr).toContain(`left out: ${damaged}`);
  expect(stderr).toContain('[FILE_NOT_A_DATABASE]');
  expect(stderr).toContain('1 file of 3 left out');
});

test('a pipe among others is named and passed over like a damaged file', async () => {
  const pipe = folder.file('pipe');
  execFileSync('mkfifo', [pipe]);
  const { exitCode, stdout, stderr } = await run(pipe, folder.file('1.db'));
  expect(exitCode).toBe(0);
  expect(stdout).toContain('1 of 1 fit in 1 GiB');
  expect(stderr).toContain(`left out: ${pipe}: is not a regular file [FILE_NOT_READABLE]`);
});

test('nothing left to judge by: exit code 1', async () => {
  const { exitCode, stdout, stderr } = await run(folder.file('none.db'), '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ sessions: 0, recommendation: { tierBytes: null } });
  expect(stderr).toContain('[FILE_NOT_FOUND]');
});

test.each([
  [[], 'which recordings'],
  [['a.db', '--fit', '1'], '--fit'],
  [['a.db', '--confidence', 'high'], '--confidence'],
  [['a.db', '--tier', '1GB'], '--tier'],
  [['a.db', '--tier', '0'], '--tier'],
  [['a.db', '--by', ''], '--by'],
])('%j makes no sense', async (args, named) => {
  const failed = run(...args);
  await expect(failed).rejects.toThrow(UsageError);
  await expect(failed).rejects.toThrow(named);
});
