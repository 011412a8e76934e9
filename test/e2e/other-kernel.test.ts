import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { headroomMain, runCli, temporaryFolder } from '../support/headroom-cli.ts';

/**
 * Another kernel as a program of this machine: the file `linux.uml` of Debian's user-mode-linux. It
 * has a cgroup v2 with a memory controller, a clock of its own that may be set, and every capability.
 * Minutes long, so it runs only when it is asked for: HEADROOM_UML=/path/to/linux.uml.
 */
const kernel = process.env['HEADROOM_UML'];
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const headroom = `${process.execPath} ${headroomMain}`;

// The root is this machine's, read-only. Ends by a panic of its kernel, as pid 1 exits.
const init = `#!/bin/sh
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/run
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t tmpfs run /run; mkdir /run/out
mount -t hostfs none /run/out -o ${folder.path}
mount -t tmpfs tmp /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup
mkdir /sys/fs/cgroup/init; echo $$ > /sys/fs/cgroup/init/cgroup.procs
echo +memory > /sys/fs/cgroup/cgroup.subtree_control; cd /run
${headroom} record --quiet --memory-limit 64MiB --out kill.db -- sh -c 'tail /dev/zero; sleep 2'
${headroom} record --quiet --out step.db -- sh -c '
  until grep -qx -- -500 /proc/$PPID/oom_score_adj; do sleep 1; done; sleep 4
  cat /proc/self/oom_score_adj > /run/adj; date -s "+600 seconds"; sleep 6
  date -s "-3600 seconds"; sleep 6'
cp kill.db step.db adj /run/out
echo o > /proc/sysrq-trigger; sleep 60
`;

if (kernel === undefined) {
  console.warn(
    'Skipped, three tests on a kernel of its own: HEADROOM_UML names no User Mode Linux (see CONTRIBUTING.md)',
  );
}

describe.skipIf(kernel === undefined)('on a kernel of its own', () => {
  beforeAll(async () => {
    fs.writeFileSync(folder.file('init'), init, { mode: 0o755 });
    const root = ['root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'ro', 'mem=256M'];
    const consoles = ['con=null', 'con0=null,fd:1'];
    const args = [...root, `init=${folder.file('init')}`, ...consoles];
    await promisify(execFile)(kernel ?? '', args, { timeout: 900_000 }).catch(() => null);
  }, 920_000);

  test('cgroup v2: the limit, its high-water mark, and a kill in it', async () => {
    const report = JSON.parse((await runCli('report', folder.file('kill.db'), '--json')).stdout);
    expect(report.memory).toMatchObject({ limitBytes: 64 * 2 ** 20, limitSource: 'cgroup_v2' });
    expect(report.memory.peakBytes).toMatchObject({ value: 64 * 2 ** 20, source: 'memory.peak' });
    expect(report.oomCounts).toMatchObject({ cgroup: 1, recorded: 1, withoutRecord: 0 });
    expect(report.oomKills).toMatchObject([{ comm: 'tail', scope: 'cgroup', inSession: true }]);
  });

  test('a clock that is set forward, and back', () => {
    using recording = openRecording(folder.file('step.db'));
    const steps = recording
      .events()
      .filter((event) => event.kind === 'gap')
      // That kernel is slow, and its recorder often late.
      .filter(({ gap }) => gap !== 'stall')
      .map(({ gap, wallMs, monotonicMs }) => [gap, Math.round((wallMs - monotonicMs) / 10_000)]);
    expect(steps).toHaveLength(2);
    expect(steps).toContainEqual(['clock_step', 60]);
    expect(steps).toContainEqual(['clock_step', -360]);
  });

  test('all of the protection that is wanted, and none of it for the command', async () => {
    const report = JSON.parse((await runCli('report', folder.file('step.db'), '--json')).stdout);
    expect(report.recorder.protection).toBe(
      'oom_score_adj lowered from 0 to -500, niceness lowered from 0 to -5',
    );
    expect(fs.readFileSync(folder.file('adj'), 'utf8').trim()).toBe('0');
  });
});
