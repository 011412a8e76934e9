import { copyFileSync, writeFileSync } from 'node:fs';
import type { OomKill } from '../../src/model/event.ts';
import type { ProcessRole } from '../../src/model/process-role.ts';
import { openRecording } from '../../src/store/reader.ts';
import { startCli, temporaryFolder } from './headroom-cli.ts';
import { type KernelKill, KernelKills } from './kernel-kills.ts';

/** What the kernel logged of one kill, and what the recording has of it. */
export interface SeenKill {
  inKernelLog: KernelKill;
  /** Null: it is not recorded. */
  recorded: OomKill | null;
  role: ProcessRole | null;
  /** From the last sample in which the victim was alive to the kill; null: it is in none. */
  lastSampleMs: number | null;
  /** How many samples it is in. */
  sampleCount: number;
}

const eaterCount = 4;
const limit = '64MiB';
const kernelLogEveryMs = 200;

/**
 * The browser: keeps renderers running until the kernel has killed as many as asked for, and prints
 * the pid of each that was killed. A renderer: takes 8 MB a second and is, like Chromium's, preferred
 * as a victim. The largest of four falls after some three seconds of life.
 */
const program = String.raw`
use strict;
my $task = shift;
if ($task eq '--type=renderer') {
  open my $score, '>', '/proc/self/oom_score_adj' or die $!;
  print $score 300;
  close $score;
  my ($byte, @kept) = ('x');
  for (;;) {
    push @kept, $byte x 262144;
    select undef, undef, undef, 0.03;
  }
}
$| = 1;
my ($killed, %renderers) = (0);
while ($killed < $task) {
  while (keys %renderers < ${eaterCount}) {
    my $pid = fork // die $!;
    exec $^X, $0, '--type=renderer' unless $pid;
    $renderers{$pid} = 1;
    select undef, undef, undef, 0.2;
  }
  my $pid = wait;
  delete $renderers{$pid};
  die "a renderer ended with $?" if $? != 9;
  $killed++;
  print "$pid\n";
}
kill 'TERM', keys %renderers;
1 while wait > 0;
`;

/**
 * Has the kernel kill processes in a limited cgroup, one after another, while `headroom record` runs
 * at its default interval. They are a perl that passes for a Chromium: its name and `--type` are all
 * that roles are told by. Needs root.
 */
export async function recordKills(count: number): Promise<SeenKill[]> {
  using folder = temporaryFolder();
  using kernel = new KernelKills();
  const browser = folder.file('chromium');
  const script = folder.file('browser.pl');
  const file = folder.file('kills.db');
  copyFileSync('/usr/bin/perl', browser);
  writeFileSync(script, program);

  const countBefore = kernel.read().length;
  const reading = setInterval(() => kernel.read(), kernelLogEveryMs);
  const options = ['--quiet', '--out', file, '--memory-limit', limit];
  const recorder = startCli(['record', ...options, '--', browser, script, String(count)]);
  const { exitCode, stdout, stderr } = await recorder.result;
  clearInterval(reading);
  if (exitCode !== 0) throw new Error(`headroom record ended with ${exitCode}: ${stderr}`);

  const kills = kernel.read().slice(countBefore);
  return stdout
    .trim()
    .split('\n')
    .map(Number)
    .map((pid) => {
      const inKernelLog = kills.find((kill) => kill.pid === pid);
      if (inKernelLog === undefined) throw new Error(`the kernel log has no line of pid ${pid}`);
      return seenKill(inKernelLog, file);
    });
}

function seenKill(inKernelLog: KernelKill, file: string): SeenKill {
  using recording = openRecording(file);
  const { pid, kernelMs } = inKernelLog;
  const recorded = recording
    .events()
    .filter((event) => event.kind === 'oom_kill')
    .find((kill) => kill.pid === pid && Math.abs(Number(kill.kernelMs) - kernelMs) < 1);
  const victim = recording.processes().findLast((process) => process.pid === pid);
  const samples = [...recording.ticks()].filter(
    ({ timeUnixMs, monotonicMs }) =>
      victim !== undefined && timeUnixMs >= victim.firstUnixMs && monotonicMs <= kernelMs,
  );
  const lastMs = samples.at(-1)?.monotonicMs;
  return {
    inKernelLog,
    recorded: recorded ?? null,
    role: victim?.role ?? null,
    lastSampleMs: lastMs === undefined ? null : kernelMs - lastMs,
    sampleCount: samples.length,
  };
}
