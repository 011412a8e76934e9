import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { verifyFile } from '../../src/store/verify/verify-file.ts';
import { flipByte, overwrite } from '../support/damaged-recording.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
const file = folder.file('task.db');
afterAll(() => folder[Symbol.dispose]());

beforeAll(async () => {
  const recorded = await runCli(
    'record',
    '--quiet',
    '--for',
    '2s',
    '--interval',
    '200ms',
    '--out',
    file,
  );
  expect(recorded).toMatchObject({ exitCode: 0, stderr: '' });
});

const verify = async (...args: string[]) => {
  const result = await runCli('verify', ...args, '--json');
  return { ...result, answer: result.stdout === '' ? null : JSON.parse(result.stdout) };
};

/** Waits for some samples in a file that is made just now. */
async function untilRecorded(live: string): Promise<void> {
  const count = () => {
    if (!fs.existsSync(`${live}-wal`)) return 0;
    using recording = openRecording(live);
    return recording.tickCount();
  };
  await expect.poll(count, { timeout: 120_000 }).toBeGreaterThan(2);
}

describe('a recording that ended', () => {
  test('is one file with checksums, and every byte is checked', async () => {
    expect(fs.readdirSync(folder.path)).toEqual(['task.db']);
    const { exitCode, answer, stderr } = await verify(file);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(answer).toMatchObject({
      isWhole: true,
      isLive: false,
      checked: 'every_byte',
      problems: [],
    });
    expect(answer.contents.samples).toBeGreaterThanOrEqual(2);
  });

  test('is still a database for others', () => {
    expect(execFileSync('sqlite3', [file, 'PRAGMA integrity_check']).toString()).toBe('ok\n');
  });

  test('of which a byte changed on the way is not whole: exit 1, and what to do', async () => {
    const pulled = folder.file('pulled.db');
    fs.copyFileSync(file, pulled);
    flipByte(pulled, Math.floor(fs.statSync(pulled).size / 2));
    const result = await runCli('verify', pulled);
    expect(result).toMatchObject({ exitCode: 1, stderr: '' });
    expect(result.stdout).toContain('pulled.db is NOT whole\n');
    expect(result.stdout).toContain('What to do\n');
  });
});

describe('a damaged recording', () => {
  test('is saved into a whole one, which is reported on; the damaged one says how', async () => {
    const damaged = folder.file('damaged.db');
    const saved = folder.file('saved.db');
    fs.copyFileSync(file, damaged);
    const root = "SELECT rootpage FROM sqlite_schema WHERE name = 'session'";
    const page = Number(execFileSync('sqlite3', [file, root]));
    overwrite(damaged, (page - 1) * 4096, Buffer.alloc(4096));
    const before = fs.readFileSync(damaged);
    const refused = await runCli('report', damaged);
    expect(refused.stderr).toContain('[FILE_CORRUPT]');
    expect(refused.stderr).toContain('headroom verify FILE --repair OUT');
    const repaired = await runCli('verify', damaged, '--repair', saved);
    expect(repaired).toMatchObject({ exitCode: 0, stderr: '' });
    expect(repaired.stdout).toContain('damaged.db is NOT whole\n');
    expect(repaired.stdout).toContain(`Saved in ${saved}: `);
    expect(fs.readFileSync(damaged).equals(before)).toBe(true);
    expect((await verify(saved)).answer).toMatchObject({ isWhole: true, checked: 'every_byte' });
    expect((await runCli('report', saved)).exitCode).toBe(0);
    const again = await runCli('verify', damaged, '--repair', saved);
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toContain('[FILE_EXISTS]');
  });
});

describe('a recording that goes on', () => {
  test('is copied into one file that verifies by itself, and goes on to its end', async () => {
    const live = folder.file('live.db');
    const copy = folder.file('copy.db');
    const args = ['record', '--quiet', '--interval', '100ms', '--out', live];
    const { child, result } = startCli(args);
    try {
      await untilRecorded(live);
      const copied = await runCli('export', live, '--to', 'sqlite', '--out', copy);
      expect(copied).toMatchObject({ exitCode: 0, stdout: '' });
      expect(copied.stderr).toContain(`headroom verify ${copy}`);
      expect((await verify(live)).answer).toMatchObject({ isWhole: true, isLive: true });
      const { exitCode, answer } = await verify(copy);
      expect(exitCode).toBe(0);
      expect(answer).toMatchObject({ isWhole: true, checked: 'every_byte' });
      const report = await runCli('report', copy, '--format', 'json');
      expect(JSON.parse(report.stdout).session).toMatchObject({
        endReason: 'copied',
        endedUnixMs: null,
        isLive: false,
      });
    } finally {
      child.kill('SIGINT');
    }
    expect((await result).exitCode).toBe(0);
    expect(verifyFile(live)).toMatchObject({ isWhole: true, checked: 'every_byte' });
  });

  test('whose recorder was killed is whole with its log, and not without', async () => {
    const killed = folder.file('killed.db');
    // Seconds between two samples: within one the log would rightly be called unfinished.
    const { child, result } = startCli(['record', '--quiet', '--interval', '10s', '--out', killed]);
    await untilRecorded(killed);
    child.kill('SIGKILL');
    await result;
    expect(verifyFile(killed)).toMatchObject({ isWhole: true, isLive: false });
    const alone = folder.file('alone.db');
    fs.copyFileSync(killed, alone);
    const { exitCode, answer } = await verify(alone);
    expect(exitCode).toBe(1);
    expect(answer.problems).toEqual([
      { code: 'log_missing', message: expect.stringContaining('alone.db-wal') },
    ]);
  });
});

describe('what is no recording', () => {
  const cases = new URL('../fixtures/cases/092-sqlite-not-a-database/', import.meta.url);

  test('is refused as HTML (case 092)', async () => {
    fs.copyFileSync(new URL('html.db', cases), folder.file('html.db'));
    for (const repair of [[], ['--repair', folder.file('out.db')]]) {
      const result = await runCli('verify', folder.file('html.db'), ...repair);
      expect(result).toMatchObject({ exitCode: 1, stdout: '' });
      expect(result.stderr).toContain('looks like HTML');
      expect(result.stderr).toContain('[FILE_NOT_A_DATABASE]');
    }
    expect(fs.existsSync(folder.file('out.db'))).toBe(false);
  });

  test.each([
    [['verify'], 'which recording?'],
    [['export', 'a.db', '--to', 'sqlite'], '--out'],
  ])('%j is a mistake of the user', async (args, message) => {
    const result = await runCli(...args);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});
