import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { headroomMain, runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { MemoryCgroup } from '../support/memory-cgroup.ts';

// A process may take back what it raised itself, also without CAP_SYS_RESOURCE.
const raised = 900;
const folder = temporaryFolder();
const cgroup = new MemoryCgroup(`headroom-e2e-${process.pid}-self`);
const file = folder.file('protected.db');

function adjOf(pid: number): number {
  return Number(fs.readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'));
}

function childrenOf(pid: number): number[] {
  const text = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

beforeAll(() => cgroup.create(96 * 2 ** 20));
afterAll(() => {
  cgroup.remove();
  folder[Symbol.dispose]();
});

describe('a recorder and its command, in a cgroup that runs full', () => {
  let recorder: { pid: number; adj: number; niceness: number };
  let others: { adj: number; niceness: number }[];

  beforeAll(async () => {
    // Each tail holds 20 MiB, less than the recorder is resident; six of them are more than there is.
    const eaters =
      'read go; for i in 1 2 3 4 5 6; do (head -c 20M /dev/zero; exec sleep 3) | tail >/dev/null & done; wait';
    const record = [headroomMain, 'record', '--quiet', '--out', file, '--', 'sh', '-c', eaters];
    const child = spawn(
      'sh',
      [
        '-c',
        `echo $$ > "$0" && echo ${raised} > /proc/self/oom_score_adj && exec "$@"`,
        cgroup.procsFile,
        process.execPath,
        ...record,
      ],
      { stdio: ['pipe', 'ignore', 'inherit'] },
    );
    const ended = once(child, 'exit');
    const pid = child.pid ?? 0;
    await vi.waitFor(
      () => {
        // The command, and the helper that hears of ends.
        expect(childrenOf(pid).length).toBeGreaterThanOrEqual(2);
        expect(adjOf(pid)).toBeLessThan(raised);
      },
      { timeout: 90_000, interval: 50 },
    );
    recorder = { pid, adj: adjOf(pid), niceness: os.getPriority(pid) };
    others = childrenOf(pid).map((other) => ({
      adj: adjOf(other),
      niceness: os.getPriority(other),
    }));
    child.stdin.end('go\n');
    expect(await ended).toEqual([0, null]);
  });

  test('what it started has nothing of it', () => {
    for (const other of others) expect(other).toEqual({ adj: raised, niceness: os.getPriority() });
  });

  test('it is there afterwards, though the kernel killed smaller processes', () => {
    using recording = openRecording(file);
    expect(recording.facts.endReason).toBe('command_exited');
    const kills = recording
      .events()
      .filter((event) => event.kind === 'oom_kill')
      .filter((kill) => !kill.beforeStart && kill.cgroup?.endsWith(cgroup.path));
    expect(kills.length).toBeGreaterThan(0);
    for (const kill of kills) {
      expect(kill.comm).toBe('tail');
      // The kernel's own table: who it let live.
      expect(kill.largestOtherPid).toBe(recorder.pid);
      expect(kill.largestOtherRssBytes).toBeGreaterThan(kill.rssBytes ?? 0);
    }
  });

  test('the recording says what was done', async () => {
    const report = JSON.parse((await runCli('report', file, '--json')).stdout);
    expect(report.recorder.protection).toContain(
      `oom_score_adj lowered from ${raised} to ${recorder.adj}`,
    );
    const niceness =
      recorder.niceness < os.getPriority()
        ? `niceness lowered from ${os.getPriority()} to ${recorder.niceness}`
        : `niceness ${recorder.niceness}`;
    expect(report.recorder.protection).toContain(niceness);
  });
});
