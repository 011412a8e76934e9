import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PageReport } from '../../src/analysis/pages.ts';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { openTenTabs, placedOrigins, type TenTabs } from '../support/ten-tabs.ts';

const MiB = 2 ** 20;
// Pages that hardly run give no answer, and are asked ever less often.
const wait = { timeout: 240_000, interval: 200 };

const folder = temporaryFolder();
let tabs: TenTabs;

beforeAll(async () => {
  tabs = await openTenTabs();
});

afterAll(async () => {
  await tabs?.close();
  folder[Symbol.dispose]();
});

test('of ten tabs the one that holds 150 MB is named', { timeout: 300_000 }, async () => {
  const file = folder.file('pages.db');
  const pid = String(tabs.browserPid);
  const { child, result } = startCli([
    'record',
    '--cdp',
    'auto',
    '--pid',
    pid,
    '--interval',
    '500ms',
    '--out',
    file,
    '--quiet',
  ]);
  try {
    await vi.waitFor(() => {
      expect(placedOrigins(file)).toEqual(expect.arrayContaining(tabs.origins));
    }, wait);
    // Which process holds the most, as the kernel says.
    const largest = largestRenderer(file);
    child.kill('SIGTERM');
    expect((await result).exitCode).toBe(0);

    const { stdout } = await runCli('report', file, '--json');
    const pages: PageReport[] = JSON.parse(stdout).pages;
    expect(pages[0]?.url).toBe(tabs.heavyOrigin);
    expect(pages[0]?.processes.map((process) => process.pid)).toEqual([largest]);
    expect(pages[0]?.memoryBytes.peak).toBeGreaterThan(150 * MiB);
    expect(pages[1]?.memoryBytes.peak).toBeLessThan(100 * MiB);
    const text = (await runCli('report', file)).stdout;
    expect(text).toMatch(new RegExp(`Pages .*\n.*\n +${tabs.heavyOrigin.replaceAll('.', '\\.')} `));
  } finally {
    child.kill('SIGKILL');
    await result;
  }
});

function largestRenderer(file: string): number {
  using recording = openRecording(file);
  const sizes = recording
    .processes()
    .filter(({ browserPid }) => browserPid === tabs.browserPid)
    .filter(({ role, endedUnixMs }) => role === 'renderer' && endedUnixMs === null)
    .map(({ pid }) => ({ pid, kib: anonymousKib(pid) }));
  return sizes.reduce((most, size) => (size.kib > most.kib ? size : most), { pid: 0, kib: 0 }).pid;
}

function anonymousKib(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
