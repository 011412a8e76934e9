import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ProcessRecord } from '../../src/model/recording.ts';
import type { BrowserTotals } from '../../src/model/sample.ts';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { startTestBrowser } from '../support/test-browser.ts';
import { untilRecorded } from '../support/until-recorded.ts';

const folder = temporaryFolder();
const patience = { timeout: 120_000, interval: 500 };
let chromium: Awaited<ReturnType<typeof startTestBrowser>>;

beforeAll(async () => {
  chromium = await startTestBrowser();
  await sleep(2_000);
});

afterAll(async () => {
  await chromium.close();
  folder[Symbol.dispose]();
});

/** Pids below the browser whose command line has this type, as /proc tells it. */
function pidsOfType(type: string): number[] {
  const parents = new Map<number, number>();
  for (const name of fs.readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readIfThere(`/proc/${name}/stat`) : '';
    if (stat !== '')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]));
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === chromium.browser.pid || isBelow(parents.get(pid)));
  return [...parents.keys()].filter(
    (pid) => isBelow(pid) && readIfThere(`/proc/${pid}/cmdline`).includes(`--type=${type}`),
  );
}

function readIfThere(path: string): string {
  try {
    return fs.readFileSync(path, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

function ofRole(processes: readonly ProcessRecord[], role: string): ProcessRecord[] {
  return processes.filter((process) => process.role === role);
}

describe('a real Chromium', () => {
  test('every role is seen, and the sums are possible', async () => {
    const file = folder.file('roles.db');
    const recorded = await runCli('record', '--for', '6s', '--interval', '500ms', '--out', file);
    expect(recorded).toMatchObject({ exitCode: 0, stdout: '' });

    using recording = openRecording(file);
    const own = recording
      .processes()
      .filter(
        (process) => process.browserPid === chromium.browser.pid && process.endedUnixMs === null,
      );
    const renderers = pidsOfType('renderer').length;
    expect(ofRole(own, 'browser').map(({ pid }) => pid)).toEqual([chromium.browser.pid]);
    expect(ofRole(own, 'zygote')).toHaveLength(2);
    expect(ofRole(own, 'gpu')).toHaveLength(1);
    expect(ofRole(own, 'network')).toHaveLength(1);
    expect(ofRole(own, 'storage')).toHaveLength(1);
    expect(ofRole(own, 'renderer')).toHaveLength(renderers);
    expect(renderers).toBeGreaterThanOrEqual(4);
    expect(ofRole(own, 'crashpad').length).toBeGreaterThanOrEqual(1);

    const ticks = [...recording.ticks()];
    // Seconds 0 to 6, twice a second; on a busy machine some are missed, and counted.
    expect(ticks.length + (ticks.at(-1)?.collector.missedTickCount ?? 0)).toBe(13);
    expect(ticks.map(({ sequence }) => sequence)).toEqual(ticks.map((_, at) => at + 1));
    for (const { browser, machine } of ticks) {
      expect(machine.totalBytes).toBe(os.totalmem());
      const rssSumBytes = browser.rssSumBytes ?? Number.NaN;
      expect(rssSumBytes).toBeGreaterThan(200 * 2 ** 20);
      expect(browser.unreclaimableBytes).toBeLessThan(rssSumBytes);
      if (browser.pssEstimatedBytes === null) continue;
      expect(browser.pssEstimatedBytes).toBeLessThanOrEqual(rssSumBytes);
      expect(browser.pssEstimatedBytes).toBeLessThanOrEqual(machine.totalBytes);
    }
  });

  test('its PSS becomes known', async () => {
    const file = folder.file('pss.db');
    const { child, result } = startCli(['record', '--interval', '500ms', '--out', file]);
    await untilRecorded(file);
    // When all of its processes were read once: by a budget that shrinks while the machine stalls.
    await vi.waitFor(() => expect(knownPssOf(file).length).toBeGreaterThan(0), patience);
    child.kill('SIGTERM');
    expect((await result).exitCode).toBe(0);
    for (const { pssEstimatedBytes, rssSumBytes } of knownPssOf(file)) {
      expect(pssEstimatedBytes).toBeGreaterThan(0);
      expect(pssEstimatedBytes).toBeLessThanOrEqual(rssSumBytes ?? Number.NaN);
    }
  });

  test('its command lines, its place for the OOM killer and its version are the kernel’s and its own', async () => {
    const file = folder.file('facts.db');
    await runCli('record', '--for', '1s', '--out', file);
    using recording = openRecording(file);
    const records = new Map(recording.processes().map((record) => [record.pid, record]));
    const { pid, version } = chromium.browser;
    const args = readIfThere(`/proc/${pid}/cmdline`).split('\0').slice(0, -1);
    expect(records.get(pid)?.command).toBe(args.join(' '));
    const renderers = pidsOfType('renderer');
    expect(renderers.length).toBeGreaterThan(0);
    for (const renderer of renderers) {
      expect(records.get(renderer)).toMatchObject({
        command: expect.stringContaining(' --type=renderer '),
        oomScoreAdj: Number(readIfThere(`/proc/${renderer}/oom_score_adj`)),
      });
    }
    const report = await runCli('report', file, '--format', 'json');
    expect(JSON.parse(report.stdout).session.machine.browserVersion).toBe(
      version.replace(/^\w+\//, 'Chromium '),
    );
  });

  test('without command lines the roles are the same', async () => {
    const file = folder.file('quiet.db');
    await runCli('record', '--for', '1s', '--no-commands', '--out', file);
    using recording = openRecording(file);
    const records = recording.processes();
    expect(ofRole(records, 'renderer').length).toBeGreaterThanOrEqual(4);
    expect(records.filter(({ command }) => command !== null)).toEqual([]);
    expect(fs.readFileSync(file, 'latin1')).not.toContain('--user-data-dir');
  });

  test('the series of a killed renderer ends, and says how', async () => {
    const file = folder.file('killed.db');
    const { result } = startCli(['record', '--for', '5s', '--interval', '250ms', '--out', file]);
    await untilRecorded(file, 4);
    const victim = pidsOfType('renderer').at(-1) ?? Number.NaN;
    const killedUnixMs = Date.now();
    process.kill(victim, 'SIGKILL');
    expect((await result).exitCode).toBe(0);

    using recording = openRecording(file);
    const [renderer] = recording.processes().filter(({ pid }) => pid === victim);
    expect(renderer?.role).toBe('renderer');
    // Gone in the first sample without it; a tick's time is when it began.
    expect(renderer?.endedUnixMs).toBeGreaterThan(killedUnixMs - 1_000);
    const rows = [...recording.processSamples({}, renderer?.process)];
    expect(rows.length).toBeGreaterThan(0);
    for (const { timeUnixMs, rssBytes } of rows) {
      if (rssBytes !== null) expect(timeUnixMs).toBeLessThanOrEqual(renderer?.endedUnixMs ?? 0);
    }
    expect(recording.events()).toContainEqual(
      // As root the kernel tells how it ended; else only that it is gone.
      expect.objectContaining({
        kind: 'process_exit',
        pid: victim,
        role: 'renderer',
        signal: process.getuid?.() === 0 ? 'SIGKILL' : null,
      }),
    );
  });

  test('kill -9 of the recorder loses at most the tick in flight', async () => {
    const file = folder.file('crashed.db');
    const { child, result } = startCli(['record', '--interval', '200ms', '--out', file]);
    await untilRecorded(file, 10);
    const seenCount = tickCountOf(file);
    child.kill('SIGKILL');
    await result;

    using recording = openRecording(file);
    const ticks = [...recording.ticks()];
    expect(ticks.map(({ sequence }) => sequence)).toEqual(ticks.map((_, at) => at + 1));
    expect(ticks.length).toBeGreaterThanOrEqual(seenCount);
    expect(recording.facts.endReason).toBe('lost');
    const report = await runCli('report', file, '--format', 'json');
    expect(JSON.parse(report.stdout)).toMatchObject({
      schemaVersion: 1,
      session: { endReason: 'lost', endedUnixMs: null },
      coverage: { samples: ticks.length },
    });
  });

  test('the file opens in the sqlite3 shell', async () => {
    const file = folder.file('shell.db');
    await runCli('record', '--for', '1s', '--interval', '200ms', '--out', file);
    const query = "SELECT count(*), count(DISTINCT role) > 5 FROM sample WHERE role <> 'other';";
    const [rows, roles] = execFileSync('sqlite3', ['-readonly', file, query], { encoding: 'utf8' })
      .trim()
      .split('|');
    expect(Number(rows)).toBeGreaterThan(8);
    expect(roles).toBe('1');
    expect(fs.readdirSync(folder.path).filter((name) => name.startsWith('shell.db'))).toEqual([
      'shell.db',
    ]);
  });
});

function knownPssOf(file: string): BrowserTotals[] {
  using recording = openRecording(file);
  return [...recording.ticks()]
    .map(({ browser }) => browser)
    .filter(({ pssEstimatedBytes }) => pssEstimatedBytes !== null);
}

function tickCountOf(file: string): number {
  using recording = openRecording(file);
  return recording.tickCount();
}
