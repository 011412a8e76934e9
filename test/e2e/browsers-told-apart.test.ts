import { copyFileSync, existsSync, readFileSync, readlinkSync } from 'node:fs';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import type { ProcessRecord } from '../../src/model/recording.ts';
import { openRecording } from '../../src/store/reader.ts';
import { startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { chromiumCommand, patience } from '../support/recorded-browser.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

// Both browsers begin in the same second, each with a stderr of its own, which its handlers inherit.
const scriptOf = (named: string) => `
  ${named} 600 & pids=$!
  echo $! > ${named}.pid
  ${browserOf(`${named}-1`)} 2> ${named}-1.log & pids="$pids $!"
  ${browserOf(`${named}-2`)} 2> ${named}-2.log & pids="$pids $!"
  trap 'kill $pids' TERM
  wait; wait`;

test('two browsers have their own crash handlers, and a sleep named chromium is none', async () => {
  const file = folder.file('two.db');
  const named = folder.file('chromium');
  copyFileSync('/bin/sleep', named);
  const command = ['sh', '-c', scriptOf(named)];
  const { child, result } = startCli([
    ...['record', '--quiet', '--interval', '500ms', '--out', file, '--', ...command],
  ]);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await result;
  });
  const processes = await vi.waitFor(() => {
    expect(existsSync(file)).toBe(true);
    using recording = openRecording(file);
    const living = recording.processes().filter(({ endedUnixMs }) => endedUnixMs === null);
    expect(ofBrowsers(living, 'browser')).toHaveLength(2);
    expect(ofBrowsers(living, 'crashpad')).toHaveLength(4);
    return living;
  }, patience);

  const browsers = ofBrowsers(processes, 'browser').map(({ pid }) => stderrOf(pid));
  expect(browsers.sort()).toEqual([`${named}-1.log`, `${named}-2.log`]);
  for (const { pid, browserPid } of ofBrowsers(processes, 'crashpad')) {
    expect(stderrOf(browserPid)).toBe(stderrOf(pid));
  }
  const sleeping = Number(readFileSync(`${named}.pid`, 'utf8'));
  expect(processes.find(({ pid }) => pid === sleeping)).toMatchObject({
    comm: 'chromium',
    role: 'other',
    browserPid: null,
  });
});

function browserOf(profile: string): string {
  return chromiumCommand(profile, ['about:blank']).join(' ');
}

function ofBrowsers(
  processes: readonly ProcessRecord[],
  role: ProcessRecord['role'],
): ProcessRecord[] {
  return processes.filter((process) => process.role === role && process.browserPid !== null);
}

function stderrOf(pid: number | null): string {
  return readlinkSync(`/proc/${pid}/fd/2`);
}
