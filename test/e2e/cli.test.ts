import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { headroomMain, runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const record = (...args: string[]) => runCli('record', '--quiet', ...args);

describe('usage', () => {
  test.each([
    [['record', '--interval', '0ms'], '--interval takes 100ms to 1h, not "0ms"'],
    [
      ['record', '--interval', 'abc'],
      '--interval takes a duration such as 500ms, 10s, 5m, 2h or 1m30s',
    ],
    [['record', '--for', '10'], '--for takes a duration'],
    [['record', '--label', 'x'], '--label takes KEY=VALUE, not "x"'],
    [['record', '--memory-limit', '1GiB'], '--memory-limit limits a command'],
    [['record', '--pid', '-4'], '--pid'],
    [['record', 'FILE'], 'unexpected argument "FILE"'],
    [['record', '--'], 'no command after --'],
    [['record', '--nope'], '--nope'],
    [['report'], 'which recording?'],
    [
      ['report', 'a.db', '--format', 'pdf'],
      '--format takes text, markdown, json or html, not "pdf"',
    ],
    [
      ['export', 'a.db'],
      '--to takes one of otlp, ndjson, csv, parquet, otlp-json, perfetto, sqlite; it is',
    ],
    [['export', 'a.db', '--to', 'xlsx'], 'perfetto, sqlite, not "xlsx"'],
    [['record', '--pid', '1', '--pid', '2'], '--pid is given more than once'],
    [['record', '--for', '-5s'], '--for takes a duration such as'],
    [['record', '--out', ''], '--out is empty'],
    [['record', '--otlp', 'foo'], '--otlp takes a URL such as http://localhost:4318, not "foo"'],
    [['record', '--memory-limit', '1GB', '--', 'true'], 'the units are B, K, M, G and T'],
    [['export', 'a.db', '--to', 'otlp', '--endpoint', 'foo'], '--endpoint takes a URL such as'],
    [['nope'], 'unknown command "nope"'],
    [['no\u001b[31mpe'], 'unknown command "no\\x1b[31mpe"'],
  ])('%j exits with 2 and names what is wrong', async (args, message) => {
    const result = await runCli(...args);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(result.stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
  });

  test.each(['record', 'report', 'export', 'verify', 'demo', 'doctor'])(
    '%s --help has examples',
    async (name) => {
      const result = await runCli(name, '--help');
      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
      expect(result.stdout).toContain(`Examples:\n`);
      expect(result.stdout).toContain(`headroom ${name}`);
    },
  );
});

describe('files that are no recording', () => {
  const cases = new URL('../fixtures/cases/092-sqlite-not-a-database/', import.meta.url);
  const newer = folder.file('newer.db');
  const foreign = folder.file('foreign.db');

  test.each([
    ['html.db', 'FILE_NOT_A_DATABASE'],
    ['empty.db', 'FILE_EMPTY'],
    ['header.db', 'FILE_CORRUPT'],
  ])('%s of case 092 is %s, and is not touched', async (name, code) => {
    const file = folder.file(name);
    fs.copyFileSync(new URL(name, cases), file);
    const before = fs.readFileSync(file);
    for (const command of [
      ['report', file],
      ['export', file, '--to', 'ndjson'],
    ]) {
      const result = await runCli(...command);
      expect(result.exitCode).toBe(1);
      expect(result.stderr).toContain(`${file}`);
      expect(result.stderr).toContain(`[${code}]`);
    }
    // An empty file is nobody's evidence: record fills it, as it would one made by mktemp.
    if (name !== 'empty.db') expect((await record('--out', file, '--for', '1s')).exitCode).toBe(1);
    expect(fs.readFileSync(file).equals(before)).toBe(true);
    expect(fs.readdirSync(folder.path).filter((other) => other.startsWith(`${name}-`))).toEqual([]);
  });

  test('a database of somebody else, a newer one, a folder, and nothing at all', async () => {
    execFileSync('sqlite3', [foreign, 'CREATE TABLE t (x); INSERT INTO t VALUES (1);']);
    await record('--for', '1s', '--out', newer);
    execFileSync('sqlite3', [newer, 'PRAGMA user_version = 999;']);
    for (const [file, code] of [
      [foreign, 'FILE_NOT_A_RECORDING'],
      [newer, 'FILE_TOO_NEW'],
      [folder.path, 'FILE_NOT_READABLE'],
      [folder.file('missing.db'), 'FILE_NOT_FOUND'],
    ] as const) {
      const result = await runCli('report', file);
      expect(result).toMatchObject({ exitCode: 1, stdout: '' });
      expect(result.stderr).toContain(`[${code}]`);
    }
  });
});

describe('files that are written', () => {
  const file = folder.file('written.db');
  const formats = [
    ['report', file],
    ['export', file, '--to', 'ndjson'],
  ];

  test('the recording itself is not overwritten, nor another one', async () => {
    await record('--for', '500ms', '--interval', '100ms', '--out', file);
    const other = folder.file('other.db');
    fs.copyFileSync(file, other);
    const before = fs.readFileSync(file);
    for (const command of formats) {
      for (const out of [file, other, `${file}-wal`]) {
        const result = await runCli(...command, '--out', out);
        expect(result).toMatchObject({ exitCode: 1, stdout: '' });
        expect(result.stderr).toContain('[FILE_EXISTS]');
      }
    }
    expect(fs.readFileSync(file).equals(before)).toBe(true);
    expect(fs.readFileSync(other).equals(before)).toBe(true);
    expect(fs.existsSync(`${file}-wal`)).toBe(false);
  });

  test('a pipe is refused at once, as input and as output', async () => {
    const pipe = folder.file('pipe');
    execFileSync('mkfifo', [pipe]);
    for (const command of formats) {
      const written = await runCli(...command, '--out', pipe);
      expect(written.stderr).toContain('[FILE_NOT_WRITABLE]');
      const read = await runCli(...command.map((arg) => (arg === file ? pipe : arg)));
      expect(read.stderr).toContain('[FILE_NOT_READABLE]');
    }
  });

  test('NDJSON of two files, of which one is damaged: the other is in it', async () => {
    const out = folder.file('two.ndjson');
    fs.writeFileSync(folder.file('damaged.db'), 'not a database');
    const args = ['export', folder.file('damaged.db'), file, '--to', 'ndjson', '--out', out];
    const result = await runCli(...args);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('[FILE_NOT_A_DATABASE]');
    expect(fs.readFileSync(out, 'utf8')).toBe(
      (await runCli('export', file, '--to', 'ndjson')).stdout,
    );
  });

  // full(4): every write fails with ENOSPC.
  test.each([
    ['report', file],
    ['export', file, '--to', 'ndjson'],
    ['doctor', '--json'],
    ['--help'],
    ['record', '--help'],
  ])('a stdout that is full: %s', (...args) => {
    const full = fs.openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [headroomMain, ...args], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    fs.closeSync(full);
    expect(status).toBe(1);
    expect(stderr).toBe('headroom: cannot write to stdout (ENOSPC)\n');
  });

  test('times before the end, and a file after --', async () => {
    for (const args of [
      ['--from', '-5m', file],
      ['--to', '-100ms', file],
      ['--', file],
    ]) {
      expect(await runCli('report', ...args)).toMatchObject({ exitCode: 0, stderr: '' });
    }
  });

  test('a name that would obey the terminal is told and quoted harmlessly', async () => {
    const name = folder.file('a\u001b[31m b.db');
    const { result } = startCli(['record', '--for', '300ms', '--interval', '100ms', '--out', name]);
    const { stderr } = await result;
    expect(stderr).not.toContain('\u001b');
    expect(stderr).toContain(`next: headroom report $'${folder.path}/a\\033[31m b.db'\n`);
  });

  test('a link to nothing, and a name without room for the log, are no recordings', async () => {
    fs.symlinkSync('nowhere', folder.file('dangling.db'));
    for (const name of ['dangling.db', 'x'.repeat(254)]) {
      const result = await record('--for', '300ms', '--out', folder.file(name));
      expect(result.exitCode).toBe(1);
      expect(result.stderr).toContain('[FILE_NOT_WRITABLE]');
    }
  });
});

describe('record', () => {
  test('does not overwrite what is there', async () => {
    const file = folder.file('there.db');
    await record('--for', '500ms', '--interval', '100ms', '--out', file);
    const before = fs.readFileSync(file);
    const again = await record('--for', '500ms', '--out', file);
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toContain('[FILE_EXISTS]');
    expect(fs.readFileSync(file).equals(before)).toBe(true);
  });

  test('a second recorder on a live file is refused, and the first goes on', async () => {
    const file = folder.file('twice.db');
    const first = startCli(['record', '--quiet', '--interval', '100ms', '--out', file]);
    const ticks = () => {
      using recording = openRecording(file);
      return recording.tickCount();
    };
    await vi.waitFor(() => expect(ticks()).toBeGreaterThan(0), { timeout: 120_000, interval: 100 });
    const second = await record('--for', '500ms', '--out', file);
    const ticksThen = ticks();
    expect(second.exitCode).toBe(1);
    expect(second.stderr).toMatch(/\[FILE_(IN_USE|EXISTS)\]/);
    first.child.kill('SIGTERM');
    expect((await first.result).exitCode).toBe(0);
    using recording = openRecording(file);
    expect(recording.facts.endReason).toBe('signal');
    expect(recording.tickCount()).toBeGreaterThan(ticksThen);
  });

  test('a folder that is not there: one clear error', async () => {
    const result = await record('--for', '1s', '--out', folder.file('no/such/folder/a.db'));
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('[FILE_NOT_WRITABLE]');
  });

  test('runs a command, gives its exit code, and keeps how it ended', async () => {
    const file = folder.file('command.db');
    const result = await record(
      '--interval',
      '100ms',
      '--out',
      file,
      '--',
      'sh',
      '-c',
      'echo "$1"; exit 7',
      'sh',
      '  a,b  ',
    );
    expect(result).toMatchObject({ exitCode: 7, stdout: '  a,b  \n' });
    using recording = openRecording(file);
    expect(recording.facts.endReason).toBe('command_exited');
    expect(recording.events()).toContainEqual(
      expect.objectContaining({
        kind: 'process_exit',
        exitCode: 7,
        signal: null,
        source: 'parent',
      }),
    );
  });

  test('a command that a signal ends gives 128 and the signal', async () => {
    const file = folder.file('signalled.db');
    const result = await record(
      '--interval',
      '100ms',
      '--out',
      file,
      '--',
      'sh',
      '-c',
      'kill -9 $$',
    );
    expect(result.exitCode).toBe(137);
    using recording = openRecording(file);
    expect(recording.events()).toContainEqual(
      expect.objectContaining({ kind: 'process_exit', exitCode: null, signal: 'SIGKILL' }),
    );
  });

  test('a command that does not exist leaves no file', async () => {
    const file = folder.file('nothing.db');
    const result = await record('--out', file, '--', 'no-such-program-here');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('[COMMAND_FAILED_TO_START]');
    expect(fs.existsSync(file)).toBe(false);
  });

  test('--for ends the recording and not the command, whose exit code is passed on', async () => {
    const gate = folder.file('gate');
    const file = folder.file('part.db');
    const command = ['sh', '-c', `while [ ! -e ${gate} ]; do sleep 0.1; done; exit 7`];
    const { child, result } = startCli([
      ...['record', '--for', '300ms', '--interval', '100ms', '--out', file, '--', ...command],
    ]);
    let stderr = '';
    child.stderr?.on('data', (text: string) => {
      stderr += text;
    });
    const isOver = () => expect(stderr).toMatch(/the recording is over; waiting .* pid \d+\n/);
    await vi.waitFor(isOver, { timeout: 60_000 });
    fs.writeFileSync(gate, '');
    expect((await result).exitCode).toBe(7);
    using recording = openRecording(file);
    expect(recording.facts.endReason).toBe('duration');
  });

  test('--memory-limit: what the command leaves behind is named, and left', async () => {
    const file = folder.file('left-behind.db');
    const options = ['--memory-limit', '100MiB', '--interval', '100ms', '--out', file];
    const result = await record(
      ...options,
      '--',
      'sh',
      '-c',
      'sleep 600 > /dev/null 2>&1 & echo $!',
    );
    const pid = Number(result.stdout);
    process.kill(pid, 'SIGKILL');
    const [, cgroup = ''] =
      new RegExp(`still runs \\(pid ${pid}\\): (\\S+) was not removed`).exec(result.stderr) ?? [];
    expect(cgroup, result.stderr).toContain('/headroom-');
    expect(result.exitCode).toBe(0);
    await vi.waitFor(() => fs.rmdirSync(cgroup), { timeout: 60_000 });
  });

  test('--memory-limit: the limit binds, and the kernel’s kill is in the report', async () => {
    const file = folder.file('limited.db');
    const eater = 'const a=[];setInterval(()=>a.push(Buffer.alloc(4<<20,1)),20)';
    const result = await record(
      '--interval',
      '100ms',
      '--memory-limit',
      '100MiB',
      '--out',
      file,
      '--',
      process.execPath,
      '-e',
      eater,
    );
    expect(result.exitCode).toBe(137);
    const report = JSON.parse((await runCli('report', file, '--json')).stdout);
    expect(report.session.machine.limitBytes).toBe(100 * 2 ** 20);
    expect(report.session.machine.limitSource).toMatch(/^cgroup_v[12]$/);
    expect(report.verdict.kind).toBe('kernel_oom');
    expect(report.oomKills).toHaveLength(1);
    expect(report.oomKills[0].scope).toBe('cgroup');
    // The victim held nearly all of the limit.
    expect(report.oomKills[0].rssBytes).toBeGreaterThan(80 * 2 ** 20);
  });

  test('with the portable source it knows less, and says so', async () => {
    const file = folder.file('portable.db');
    const env = { ...process.env, HEADROOM_SOURCE: 'portable' };
    const { result } = startCli(['record', '--quiet', '--for', '3s', '--out', file], env);
    expect((await result).exitCode).toBe(0);
    using recording = openRecording(file);
    expect(recording.facts.machine.sampleSource).toBe('portable');
    expect(recording.lastTick()).toMatchObject({
      cgroup: null,
      pressure: { memorySomeMs: null },
      activity: { oomKillCount: null },
    });
    expect(recording.processes().some(({ pid }) => pid === process.pid)).toBe(true);
  });
});

describe('export', () => {
  test('OTLP reaches a real HTTP receiver, with the times of the recording', async () => {
    const file = folder.file('sent.db');
    await record('--for', '2s', '--interval', '500ms', '--out', file);
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        bodies.push(body);
        response.setHeader('content-type', 'application/json').end('{}');
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = [
      'export',
      file,
      '--to',
      'otlp',
      '--endpoint',
      endpoint,
      '--protocol',
      'http/json',
      '--json',
    ];
    const first = await runCli(...args);
    const again = await runCli(...args);
    server.close();
    expect(first.exitCode).toBe(0);
    const told = JSON.parse(first.stdout);
    expect(told).toMatchObject({ left: 0, rejected: 0, logs: { left: 0 } });
    expect(told.sent).toBeGreaterThan(50);
    // The cursor is in the file: nothing is sent twice.
    expect(JSON.parse(again.stdout)).toMatchObject({ sent: 0, left: 0 });

    using recording = openRecording(file);
    const stored = [...recording.ticks()].map(({ timeUnixMs }) => `${timeUnixMs}000000`);
    const limits = bodies
      .flatMap((body) => JSON.parse(body).resourceMetrics ?? [])
      .flatMap((resource) => resource.scopeMetrics)
      .flatMap((scope) => scope.metrics)
      .filter((metric) => metric.name === 'headroom.memory.limit')
      .flatMap((metric) => metric.sum.dataPoints);
    expect(limits.map((point) => point.timeUnixNano)).toEqual(stored);
    const names = bodies
      .flatMap((body) => JSON.parse(body).resourceLogs ?? [])
      .flatMap((resource) => resource.scopeLogs)
      .flatMap((scope) => scope.logRecords)
      .map((record) => record.eventName);
    expect([names[0], names.at(-1)]).toEqual(['session.start', 'session.end']);
  });

  test('NDJSON: every line is an object with a type', async () => {
    const file = folder.file('lines.db');
    await record('--for', '1s', '--interval', '200ms', '--out', file);
    const { stdout, exitCode } = await runCli('export', file, '--to', 'ndjson');
    expect(exitCode).toBe(0);
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(new Set(types)).toEqual(
      new Set(['session', 'process', 'event', 'tick', 'process_sample']),
    );
    using recording = openRecording(file);
    expect(types.filter((type) => type === 'tick')).toHaveLength(recording.tickCount());
  });
});
