import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { analyse, type SessionReport } from '../../src/analysis/session-report.ts';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { servePage } from '../support/page-server.ts';
import { RecordedBrowser } from '../support/recorded-browser.ts';

// Beside twenty other busy programs it takes two minutes.
const patience = { timeout: 240_000, interval: 1_000 };
const timeout = 300_000;

/**
 * It passes for a Chromium by its name and the `--type` of its children, which go round and round in a
 * file as in their program, until the one that started them is gone. That one keeps more and more, but
 * leaves room for half of the file: the kernel always finds pages to take back, and kills nobody.
 */
const program = `
use strict;
my ($text, $type) = @ARGV;
if (defined $type) {
  my $parent = getppid;
  open my $mapped, '<:mmap', $text or die $!;
  while (getppid == $parent) {
    1 while read $mapped, my $part, 65536;
    seek $mapped, 0, 0;
    select undef, undef, undef, 0.01;
  }
  exit;
}
open my $out, '>', $text or die $!;
print {$out} 'x' x 1048576 for 1 .. 64;
close $out or die $!;
sub start {
  my $pid = fork // die $!;
  exec $^X, $0, $text, '--type=renderer' unless $pid;
}
my ($byte, @kept) = ('x');
start;
for my $taken (1 .. 88) {
  push @kept, $byte x 1048576;
  select undef, undef, undef, 0.08;
  start for $taken == 60 ? 1 .. 5 : ();
}
sleep 600;
`;

// On v2 a stall is told by the share in which all tasks of the group waited at once, and six that share two
// cores never do.
const isV1 = existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes');
if (!isV1) console.error('A TEST IS SKIPPED: a stall is made by what cgroup v1 tells of pressure');

test.skipIf(!isV1)('a session that stands still, and is not killed', { timeout }, async () => {
  using folder = temporaryFolder();
  // Not in /tmp, which may be in memory: what is thrown out is to be read back.
  const disk = mkdtempSync('/var/tmp/headroom-test-');
  onTestFinished(() => rmSync(disk, { recursive: true }));
  const file = folder.file('stall.db');
  const browser = folder.file('chromium');
  const script = folder.file('browser.pl');
  copyFileSync('/usr/bin/perl', browser);
  writeFileSync(script, program);
  const options = ['--quiet', '--out', file, '--memory-limit', '128MiB'];
  const { child, result } = startCli(['record', ...options, '--', browser, script, `${disk}/text`]);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await result;
  });

  const live = await untilStalled(file);
  expect(live.verdict.kind).toBe('memory_stall');
  // There may be other browsers on this machine.
  const own = live.processes.find(
    ({ role, browserPid, pid }) => role === 'browser' && browserPid === pid,
  );
  const pid = own?.pid ?? 0;
  expect(pid).toBeGreaterThan(0);
  process.kill(pid, 'SIGKILL');
  expect(await result).toMatchObject({ exitCode: 128 + 9 });
  const report = await reportOf(file);
  expect(report.oomKills.filter(({ inSession }) => inSession)).toEqual([]);
  expect(report.verdict.kind).toBe('memory_stall');
  // Whoever ends what stands still only buries it.
  expect(report.deaths).toContainEqual(
    expect.objectContaining({
      pid,
      role: 'browser',
      verdict: 'memory_stall',
      certainty: 'inferred',
      signal: 'SIGKILL',
    }),
  );
  printLead('a stall', report);
});

const isLong = process.env['HEADROOM_TEST_STALL'] === '1';
if (!isLong) {
  console.error(
    'A TEST IS SKIPPED: a real Chromium takes two minutes to stall (npm run test:stall)',
  );
}

test.skipIf(!isLong)('a Chromium that stands still, and is not killed', { timeout }, async () => {
  using folder = temporaryFolder();
  const file = folder.file('stall.db');
  const leak = 'setInterval(() => kept.push(new Uint8Array(4 << 20).fill(1)), 200);';
  const page = await servePage(`<!doctype html><script>const kept = [];${leak}</script>`);
  onTestFinished(() => page.close());
  const browser = new RecordedBrowser({
    file,
    recordFlags: ['--memory-limit', '1GiB'],
    // Read from disk inside of the limit, its program's pages are what the kernel takes back first.
    copyTo: folder.file('chromium'),
    browserFlags: [page.url],
  });
  try {
    const report = await untilStalled(file);
    expect(report.oomKills.filter(({ inSession }) => inSession)).toEqual([]);
    expect(report.verdict.kind).toBe('memory_stall');
    // Whoever had waited for an answer would end it now.
    const { pid } = await browser.living('browser');
    process.kill(pid, 'SIGKILL');
    expect(await browser.ended).toMatchObject({ exitCode: 128 + 9 });
    const buried = await reportOf(file);
    expect(buried.verdict.kind).toBe('memory_stall');
    expect(buried.deaths).toMatchObject([
      { pid, role: 'browser', verdict: 'memory_stall', certainty: 'inferred', signal: 'SIGKILL' },
    ]);
    printLead('a stall of a Chromium', buried);
    console.log((await runCli('report', file)).stdout);
  } finally {
    await browser.stop();
  }
});

async function reportOf(file: string): Promise<SessionReport> {
  return JSON.parse((await runCli('report', file, '--json')).stdout);
}

function untilStalled(file: string): Promise<SessionReport> {
  return vi.waitFor(() => {
    expect(existsSync(file)).toBe(true);
    using recording = openRecording(file);
    const report = analyse(recording);
    expect(report.stalls).not.toEqual([]);
    return report;
  }, patience);
}

function printLead(what: string, { leads, stalls }: SessionReport): void {
  const warned = leads[0]?.leadMs ?? 'never';
  console.log(`${what}: warned ${warned} ms before; ${JSON.stringify(stalls)}`);
}
