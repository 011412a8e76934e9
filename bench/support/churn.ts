import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { CleanUp } from './clean-up.ts';
import { endGroup } from './process-group.ts';

/**
 * Forks as often a second as asked for; each child lives for up to 10 s and holds up to 1 MB. With
 * `renderer` they take the command line of one.
 */
const program = `
my ($perSecond, $kind) = @ARGV;
$SIG{CHLD} = 'IGNORE';
for (;;) {
  my $pid = fork;
  die $! unless defined $pid;
  unless ($pid) {
    $0 = "$^X --type=renderer --lang=en-US" if $kind eq 'renderer';
    my $held = 'x' x int rand 1e6;
    select undef, undef, undef, rand 10;
    exit 0;
  }
  select undef, undef, undef, 1 / $perSecond;
}
`;

/** Has processes come and go, half of them renderers of a browser as far as names tell. */
export async function startChurn(
  perSecond: number,
  folder: string,
  cleanUp: CleanUp,
): Promise<void> {
  const script = path.join(folder, 'churn.pl');
  const browser = path.join(folder, 'chromium');
  fs.writeFileSync(script, program);
  fs.copyFileSync('/usr/bin/perl', browser);
  for (const [perl, kind] of [
    ['/usr/bin/perl', 'other'],
    [browser, 'renderer'],
  ] as const) {
    const args = [script, String(perSecond / 2), kind];
    const child = spawn(perl, args, { detached: true, stdio: ['ignore', 'ignore', 'inherit'] });
    await once(child, 'spawn');
    const { pid } = child;
    if (pid !== undefined) cleanUp.add(() => endGroup(pid));
  }
}
