import { copyFileSync } from 'node:fs';
import type { OomKill } from '../../src/model/event.ts';
import type { ProcessRole } from '../../src/model/process-role.ts';
import type { Recording } from '../../src/model/recording.ts';
import { openRecording } from '../../src/store/reader.ts';
import { startCli, temporaryFolder } from './headroom-cli.ts';
import { type KernelKill, KernelKills } from './kernel-kills.ts';

/** What the kernel logged of one kill, and what the recording has of it. */
export interface SeenKill {
  inKernelLog: KernelKill;
  recorded: OomKill | null;
  role: ProcessRole | null;
  /** From the last sample in which the victim was alive to the kill; null: it is in none. */
  lastSampleMs: number | null;
  /** How many samples it is in. */
  sampleCount: number;
}

// A perl that passes for a Chromium: its name and `--type` are all that roles are told by.
const perl = '/usr/bin/perl';
const eaterCount = 4;
const limit = '64MiB';

/**
 * The browser: keeps eaters running until the kernel has killed as many as asked for, and prints the
 * pid of each that was killed. A renderer: takes 8 MB a second and is, like Chromium's, preferred
 * as a victim. The largest of four falls when it has lived for about three seconds.
 */
const program = String.raw`
use strict;
my ($script, $task) = @ARGV;
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
my (%eaters, $killed);
while ($killed < $task) {
  while (keys %eaters < ${eaterCount}) {
    my $pid = fork // die $!;
    exec $^X, '-e', $script, '--', $script, '--type=renderer' unless $pid;
    $eaters{$pid} = 1;
    select undef, undef, undef, 0.2;
  }
  my $pid = wait;
  delete $eaters{$pid};
  die "an eater ended with $?" if $? != 9;
  $killed++;
  print "$pid\n";
}
kill 'TERM', keys %eaters;
1 while wait > 0;
`;
