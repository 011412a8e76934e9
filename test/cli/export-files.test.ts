import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CommandIo, UsageError } from '../../src/cli/command.ts';
import { exportCommand } from '../../src/cli/export.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { duckdb } from '../support/duckdb.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { decodeJsonRequest } from '../support/otlp-wire.ts';
import { recordSamples } from '../support/record-samples.ts';
import {
  syntheticFacts,
  syntheticSamples,
  syntheticStartUnixMs,
} from '../support/synthetic-session.ts';

const dayMs = 86_400_000;
// More than is written at a time.
const tickCount = 200;
let folder: ReturnType<typeof temporaryFolder>;
let outputs: ReturnType<typeof temporaryFolder>;
beforeAll(() => {
  folder = temporaryFolder();
  for (const [index, workload] of ['checkout', 'a/b: 50%', undefined].entries()) {
    const startedUnixMs = syntheticStartUnixMs + index * dayMs;
    recordSamples(
      folder.file(`${index}.db`),
      syntheticSamples({ tickCount, processCount: 8, startUnixMs: startedUnixMs, seed: index }),
      {
        facts: syntheticFacts({
          id: `00000000-0000-4000-8000-00000000000${index}`,
          startedUnixMs,
          labels: workload === undefined ? {} : { workload },
        }),
      },
    );
  }
});
afterAll(() => folder[Symbol.dispose]());
beforeEach(() => {
  outputs = temporaryFolder();
  return () => outputs[Symbol.dispose]();
});

const recordings = () => [0, 1, 2].map((index) => folder.file(`${index}.db`));

const runExport = (...args: string[]) => runExportWith({}, ...args);

async function runExportWith(env: CommandIo['env'], ...args: string[]) {
  let stdout = '';
  let stderr = '';
  const io: CommandIo = {
    stdout: collector((text) => {
      stdout += text;
    }),
    stderr: collector((text) => {
      stderr += text;
    }),
    env,
    signal: new AbortController().signal,
    hurry: new AbortController().signal,
  };
  const exitCode = await exportCommand.run(parseArguments(exportCommand, args), io);
  return { exitCode, stdout, stderr };
}

function collector(take: (text: string) => void): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk));
      done();
    },
  });
}

/** A recording of which only the beginning can be read. */
function damagedInTheMiddle(): string {
  const file = folder.file('damaged.db');
  copyFileSync(folder.file('0.db'), file);
  const db = openDatabase(file, { mode: 'write', busyTimeoutMs: 0 });
  // In bytes no JavaScript number holds it.
  db.prepare('UPDATE tick SET machine_free_kib = 9007199254740991 WHERE sequence = 190').run();
  db.close();
  return file;
}

describe('--from after --until', () => {
  const from = new Date(syntheticStartUnixMs + 20_000).toISOString();
  const until = new Date(syntheticStartUnixMs + 10_000).toISOString();

  test.each(['csv', 'ndjson', 'perfetto', 'parquet'])(
    '%s: refused, and nothing is left',
    async (to) => {
      const out = outputs.file('none');
      for (const range of [
        [from, until],
        ['+20s', '+10s'],
        ['-10s', '-20s'],
      ]) {
        const [first = '', last = ''] = range;
        const args = ['--to', to, '--out', out, '--from', first, '--until', last];
        const failed = runExport(folder.file('0.db'), ...args);
        await expect(failed).rejects.toThrow(UsageError);
        await expect(failed).rejects.toThrow('--from is after --until');
      }
      expect(readdirSync(outputs.path)).toEqual([]);
    },
  );

  test('of one recording also where it is too short for both ends; of several it has nothing', async () => {
    // 199 s long.
    const range = ['--from', '+2m', '--until', '-2m'];
    await expect(runExport(folder.file('0.db'), '--to', 'csv', ...range)).rejects.toThrow(
      '--from is after --until',
    );
    const both = await runExport(folder.file('0.db'), folder.file('1.db'), '--to', 'csv', ...range);
    expect(both.exitCode).toBe(0);
    expect(both.stdout.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('csv', () => {
  test('of three recordings, one table with one header', async () => {
    const out = outputs.file('all.csv');
    const result = await runExport(...recordings(), '--to', 'csv', '--out', out);
    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.stderr).toMatch(/all\.csv: 3 recordings, \d+/);
    const rows = await duckdb(
      `SELECT workload, count(*)::INT AS rows FROM '${out}' GROUP BY ALL ORDER BY ALL`,
    );
    expect(rows).toEqual([
      { workload: 'a/b: 50%', rows: tickCount },
      { workload: 'checkout', rows: tickCount },
      { workload: null, rows: tickCount },
    ]);
  });

  test('a recording that is damaged in its middle leaves no row, and is named', async () => {
    const out = outputs.file('all.csv');
    const damaged = damagedInTheMiddle();
    const files = [damaged, folder.file('1.db')];
    const result = await runExport(...files, '--to', 'csv', '--out', out);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('damaged.db');
    expect(result.stderr).toContain('[FILE_CORRUPT]');
    const alone = await runExport(folder.file('1.db'), '--to', 'csv');
    expect(readFileSync(out, 'utf8')).toBe(alone.stdout);
  });

  test('a second copy of a session is named and left out; not where the first cannot be read', async () => {
    const file = folder.file('1.db');
    const copy = outputs.file('copy.db');
    copyFileSync(file, copy);
    const alone = await runExport(file, '--to', 'csv');
    const twice = await runExport(file, file, copy, '--to', 'csv');
    expect(twice).toMatchObject({ exitCode: 0, stdout: alone.stdout });
    expect(twice.stderr).toBe(
      [file, copy]
        .map((left) => `headroom export: left out: ${left}: the same session as ${file}\n`)
        .join(''),
    );
    const whole = folder.file('0.db');
    const out = outputs.file('other.csv');
    const other = await runExport(damagedInTheMiddle(), whole, '--to', 'csv', '--out', out);
    expect(other.exitCode).toBe(1);
    expect(other.stderr).not.toContain('left out');
    expect(readFileSync(out, 'utf8')).toBe((await runExport(whole, '--to', 'csv')).stdout);
  });

  test('of several recordings of a session the longest is exported, whatever its name', async () => {
    const [long, short, other] = [outputs.file('z.db'), outputs.file('a.db'), folder.file('1.db')];
    copyFileSync(folder.file('0.db'), long);
    copyFileSync(long, short);
    const db = openDatabase(short, { mode: 'write', busyTimeoutMs: 0 });
    db.prepare('DELETE FROM tick WHERE sequence > 100').run();
    db.close();
    const alone = await runExport(long, other, '--to', 'csv');
    const all = await runExport(short, other, long, '--to', 'csv');
    expect(all).toEqual({
      exitCode: 0,
      stdout: alone.stdout,
      stderr: `headroom export: left out: ${short}: the same session as ${long}\n`,
    });
  });

  test('only a part of it: from the start and before the end', async () => {
    const [file = ''] = recordings();
    const part = await runExport(file, '--to', 'csv', '--from', '+10s', '--until', '-20s');
    const whole = await runExport(file, '--to', 'csv');
    const lines = (text: string) => text.split('\r\n').filter((line) => line !== '');
    const times = lines(part.stdout).map((line) => line.split(',')[3]);
    expect(times[1]?.slice(0, 19)).toBe('2026-01-05 10:00:10');
    expect(times.at(-1)?.slice(0, 19)).toBe('2026-01-05 10:02:59');
    expect(lines(whole.stdout)).toEqual(expect.arrayContaining(lines(part.stdout)));
    const roles = await runExport(file, '--to', 'csv', '--table', 'roles', '--from', '+10s');
    const allRoles = await runExport(file, '--to', 'csv', '--table', 'roles');
    const last = (text: string) => lines(text).at(-1);
    expect(last(roles.stdout)).toBe(last(allRoles.stdout));
  });

  test('what exists is replaced with --force only, a recording never', async () => {
    const [file = ''] = recordings();
    const out = outputs.file('a.csv');
    writeFileSync(out, 'mine');
    const args = [file, '--to', 'csv', '--out', out];
    await expect(runExport(...args)).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    expect(readFileSync(out, 'utf8')).toBe('mine');
    expect(await runExport(...args, '--force')).toMatchObject({ exitCode: 0 });
    expect(readFileSync(out, 'utf8')).toContain('working_set_bytes');
    copyFileSync(file, outputs.file('copy.db'));
    await expect(
      runExport(file, '--to', 'csv', '--force', '--out', outputs.file('copy.db')),
    ).rejects.toMatchObject({ code: 'FILE_EXISTS' });
  });
});

describe('parquet', () => {
  const read = (table: string) =>
    `read_parquet('${outputs.path}/fleet/${table}/**/*.parquet', hive_partitioning = true)`;
  const exportAll = (...more: string[]) =>
    runExport(...recordings(), '--to', 'parquet', '--out', outputs.file('fleet'), ...more);

  test('many recordings are one table, with their day and workload', async () => {
    expect(await exportAll()).toMatchObject({ exitCode: 0, stdout: '' });
    const rows = await duckdb(
      `SELECT date::VARCHAR AS date, workload, count(*)::INT AS rows, count(DISTINCT session_id)::INT AS sessions
       FROM ${read('samples')} GROUP BY ALL ORDER BY ALL`,
    );
    expect(rows).toEqual([
      { date: '2026-01-05', workload: 'checkout', rows: tickCount, sessions: 1 },
      { date: '2026-01-06', workload: 'a/b: 50%', rows: tickCount, sessions: 1 },
      { date: '2026-01-07', workload: null, rows: tickCount, sessions: 1 },
    ]);
    // An engine needs a file to know the columns, also where nothing happened.
    expect(await duckdb(`FROM ${read('events')}`)).toEqual([]);
    const [session] = await duckdb(
      `SELECT sample_count, limit_bytes FROM ${read('sessions')} WHERE workload = 'checkout'`,
    );
    expect(session?.['sample_count']).toBe(BigInt(tickCount));
  });

  test('the rows of processes are those of the recording', async () => {
    await exportAll();
    const db = openDatabase(folder.file('0.db'), { mode: 'read', busyTimeoutMs: 0 });
    const stored = db
      .prepare<[], { n: number; rss: number; pss: number }>(
        'SELECT count(*) AS n, sum(rss_bytes) AS rss, sum(pss_bytes) AS pss FROM process_sample',
      )
      .get();
    db.close();
    const [row] = await duckdb(
      `SELECT count(*)::DOUBLE AS n, sum(rss_bytes)::DOUBLE AS rss, sum(pss_bytes)::DOUBLE AS pss
       FROM ${read('process_samples')} WHERE workload = 'checkout'`,
    );
    expect(row).toEqual(stored);
  });

  test('a run that is made again leaves what is there, and --force writes it anew', async () => {
    await exportAll('--table', 'samples');
    const files = readdirSync(outputs.file('fleet'), { recursive: true, encoding: 'utf8' });
    const parquet = files.filter((name) => name.endsWith('.parquet'));
    expect(parquet).toHaveLength(3);
    const inode = () => statSync(outputs.file(`fleet/${parquet[0]}`)).ino;
    const before = inode();
    expect((await exportAll()).stderr).toContain('3 were there already');
    expect(inode()).toBe(before);
    await exportAll('--force');
    expect(inode()).not.toBe(before);
    // Another part of it is another table.
    const from = await duckdb(
      `SELECT count(*)::INT AS rows FROM ${read('samples')} WHERE time >= '2026-01-05T10:00:30Z'`,
    );
    await exportAll('--table', 'samples', '--from', '2026-01-05T10:00:30Z');
    expect(await duckdb(`SELECT count(*)::INT AS rows FROM ${read('samples')}`)).toEqual(from);
    expect(from[0]?.['rows']).toBeLessThan(3 * tickCount);
  });

  test('of a damaged recording there is no table at all', async () => {
    const damaged = damagedInTheMiddle();
    const result = await runExport(
      damaged,
      folder.file('1.db'),
      '--to',
      'parquet',
      '--out',
      outputs.file('fleet'),
    );
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('[FILE_CORRUPT]');
    const files = readdirSync(outputs.file('fleet'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.includes('0000000000000.'))).toEqual([]);
    expect(files.filter((name) => name.includes('.tmp'))).toEqual([]);
    expect(files.filter((name) => name.endsWith('.parquet'))).toHaveLength(9);
  });

  test('a file of somebody else is not replaced without --force', async () => {
    await exportAll('--table', 'samples');
    const [parquet] = readdirSync(outputs.file('fleet'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((name) => name.includes('checkout') && name.endsWith('.parquet'));
    const file = outputs.file(`fleet/${parquet}`);
    writeFileSync(file, 'mine');
    const result = await exportAll('--table', 'samples');
    expect(result).toMatchObject({ exitCode: 1 });
    expect(result.stderr).toContain('[FILE_EXISTS]');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('needs a folder', async () => {
    const [file = ''] = recordings();
    await expect(runExport(file, '--to', 'parquet')).rejects.toThrow('needs --out FOLDER');
    writeFileSync(outputs.file('taken'), '');
    await expect(
      runExport(file, '--to', 'parquet', '--out', outputs.file('taken')),
    ).rejects.toMatchObject({ code: 'FILE_NOT_WRITABLE' });
    expect(existsSync(outputs.file('taken'))).toBe(true);
  });
});

describe('otlp-json', () => {
  const args = () => [folder.file('0.db'), '--to', 'otlp-json', '--until', '+19500ms'];
  const requests = (stdout: string) => stdout.trimEnd().split('\n');

  test('the resource is what the environment says of it, of points and events', async () => {
    const env = {
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging,service.name=other,broken',
      OTEL_SERVICE_NAME: 'browsers',
    };
    const { stdout, stderr } = await runExportWith(env, ...args());
    for (const line of requests(stdout)) {
      const { resourceMetrics, resourceLogs } = JSON.parse(line);
      const { resource } = (resourceMetrics ?? resourceLogs)[0];
      expect(resource.attributes).toEqual(
        expect.arrayContaining([
          { key: 'deployment.environment.name', value: { stringValue: 'staging' } },
          { key: 'service.name', value: { stringValue: 'browsers' } },
        ]),
      );
    }
    expect(requests(stdout).at(-1)).toContain('"resourceLogs"');
    expect(stderr).toContain('OTEL_RESOURCE_ATTRIBUTES: ');
  });

  test('single processes on request, and it is said that there are more', async () => {
    const result = await runExport(...args(), '--per-process=3');
    const points = requests(result.stdout)
      .filter((line) => line.startsWith('{"resourceMetrics"'))
      .flatMap((line) => decodeJsonRequest(Buffer.from(line)).points)
      .filter(({ metric }) => metric === 'process.memory.usage');
    expect(points).toHaveLength(3 * 20);
    expect(result.stderr).toContain('more than 3 processes of the browser at a time');
    const without = await runExport(...args());
    expect(without.stdout).not.toContain('process.pid');
    expect(without.stderr).toBe('');
  });
});
