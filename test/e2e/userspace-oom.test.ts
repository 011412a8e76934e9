import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { provideDebianPrograms } from '../../scripts/setup/debian-programs.mjs';
import { headroomMain, runCli, temporaryFolder } from '../support/headroom-cli.ts';

const programs = await provideDebianPrograms([{ program: 'earlyoom', package: 'earlyoom' }]);
const earlyoom = programs.get('earlyoom') ?? { reason: 'no earlyoom' };
if ('reason' in earlyoom) console.error(`TESTS ARE SKIPPED: ${earlyoom.reason}`);

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/**
 * Records a tail of the user nobody that a real earlyoom ends. earlyoom acts at once, since less than
 * 99 % of memory is available, and in a pid namespace of its own it sees no process but these, and
 * ends none of root's.
 */
async function recordUnderEarlyoom(file: string, output: string) {
  const path = 'path' in earlyoom ? earlyoom.path : '';
  const asNobody = 'setpriv --reuid 65534 --regid 65534 --clear-groups';
  // After two seconds, so that samples have seen what it ends.
  const daemon = '"$0" -m 99 -s 100 -r 0 --ignore-root-user';
  const command = `{ sleep 2; ${daemon}; } 2>&1 ${output} & exec ${asNobody} tail -f /dev/null`;
  const record = [headroomMain, 'record', '--quiet', '--interval', '500ms', '--out', file];
  const namespace = ['--pid', '--fork', '--mount-proc', '--kill-child'];
  const args = [...namespace, process.execPath, ...record, '--', 'sh', '-c', command, path];
  // Its exit code is that of the command, which ends by a signal.
  await promisify(execFile)('unshare', args, { timeout: 60_000 }).catch(() => null);
  return JSON.parse((await runCli('report', file, '--json')).stdout);
}

describe.skipIf('reason' in earlyoom)('a process that earlyoom ends', () => {
  test('in its own words, where it writes into the kernel log', async () => {
    // The kernel takes few lines at a time from one writer: only those that matter.
    const output = "| grep --line-buffered '^sending SIG' > /dev/kmsg";
    const report = await recordUnderEarlyoom(folder.file('told.db'), output);
    expect(report.deaths).toMatchObject([
      { comm: 'tail', signal: 'SIGTERM', verdict: 'userspace_oom', certainty: 'recorded' },
    ]);
    const [{ pid, evidence }] = report.deaths;
    expect(evidence.join()).toContain(`sending SIGTERM to process ${pid} uid 65534 "tail"`);
    expect(report.verdict.kind).toBe('userspace_oom');
  });

  test('no guess, where it does not and memory was not short', async () => {
    const report = await recordUnderEarlyoom(folder.file('silent.db'), '> /dev/null');
    expect(report.deaths).toMatchObject([{ comm: 'tail', verdict: 'killed' }]);
    expect(report.deaths[0].evidence.at(-1)).toMatch(/^earlyoom \(pid \d+\) was running$/);
  });
});
