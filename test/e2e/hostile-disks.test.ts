import fs from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { fillDisk, mountTmpfs, type Tmpfs } from '../support/tmpfs.ts';

const folder = temporaryFolder();
const disk = folder.file('disk');
const file = `${disk}/task.db`;
let mounted: Tmpfs | null = null;

beforeAll(async () => {
  mounted = mountTmpfs(disk);
  if (mounted === null) return;
  const args = ['--quiet', '--for', '1s', '--interval', '200ms', '--out', file];
  expect(await runCli('record', ...args)).toMatchObject({ exitCode: 0, stderr: '' });
});
beforeEach(({ skip }) => {
  if (mounted === null) skip();
});
afterAll(() => {
  mounted?.[Symbol.dispose]();
  folder[Symbol.dispose]();
});

/** Whatever the disk is like, a recording on it is read as any other, and stays as it is. */
async function expectReadable(): Promise<void> {
  const before = fs.readFileSync(file);
  const report = await runCli('report', file, '--format', 'json');
  expect(report).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(report.stdout).session.endReason).toBe('duration');
  const verified = await runCli('verify', file, '--json');
  expect(verified).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(verified.stdout)).toMatchObject({ isWhole: true, checked: 'every_byte' });
  const lines = folder.file('task.ndjson');
  expect(await runCli('export', file, '--to', 'ndjson', '--out', lines)).toMatchObject({
    exitCode: 0,
  });
  expect(fs.readFileSync(lines, 'utf8').split('\n').length).toBeGreaterThan(5);
  fs.rmSync(lines);
  expect(fs.readFileSync(file).equals(before)).toBe(true);
}

/** What would be written there is refused with this code, and nothing is left behind. */
async function expectNothingIsWritten(code: RegExp): Promise<void> {
  const names = fs.readdirSync(disk);
  const to = `${disk}/new.db`;
  for (const args of [
    ['record', '--for', '1s', '--out', to],
    ['export', file, '--to', 'sqlite', '--out', to],
  ]) {
    const { exitCode, stdout, stderr } = await runCli(...args);
    expect({ exitCode, stdout }, args.join(' ')).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr, args.join(' ')).toMatch(code);
    expect(stderr).toContain('new.db');
    expect(fs.readdirSync(disk)).toEqual(names);
  }
}

describe('a recording on a full disk', () => {
  test('is read, and what would be written is refused as STORE_FULL', async () => {
    fs.writeFileSync(`${disk}/page.html`, 'of yesterday');
    fillDisk(`${disk}/ballast`);
    await expectReadable();
    await expectNothingIsWritten(/\[STORE_FULL\]/);
    const names = fs.readdirSync(disk);
    const page = `${disk}/page.html`;
    const kept = fs.readFileSync(page, 'utf8');
    expect(await runCli('report', file, '--format', 'html', '--out', page)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no space left to write to'),
    });
    expect(fs.readFileSync(page, 'utf8')).toBe(kept);
    const partitions = ['export', file, '--to', 'parquet', '--out', `${disk}/new/fleet`];
    const result = await runCli(...partitions);
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toContain('no space left to write to');
    expect(fs.readdirSync(disk)).toEqual(names);
    fs.rmSync(`${disk}/ballast`);
  });
});

describe('a recording on a read-only disk', () => {
  test('is read, and what would be written is refused as FILE_NOT_WRITABLE', async () => {
    mounted?.makeReadOnly();
    await expectReadable();
    await expectNothingIsWritten(/\[FILE_NOT_WRITABLE\]/);
  });
});
