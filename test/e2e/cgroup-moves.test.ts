import { readFileSync } from 'node:fs';
import { afterAll, expect, test, vi } from 'vitest';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, startCli, temporaryFolder } from '../support/headroom-cli.ts';
import { MemoryCgroup } from '../support/memory-cgroup.ts';
import { untilRecorded } from '../support/until-recorded.ts';

const limitBytes = 500 * 2 ** 20;
const heldBytes = 64 * 2 ** 20;
const patience = { timeout: 120_000, interval: 250 };
const cgroup = new MemoryCgroup(`headroom-moves-${process.pid}`);
const folder = temporaryFolder();

afterAll(async () => {
  // What was in it has ended, and the kernel may take a moment more.
  await vi.waitFor(() => cgroup.remove(), patience);
  folder[Symbol.dispose]();
});

/** The kernel's own figure, of v1 or v2. */
function charged(): number {
  const names = ['memory.usage_in_bytes', 'memory.current'];
  const texts = names.flatMap((name) => {
    try {
      return [readFileSync(`${cgroup.directory}/${name}`, 'utf8')];
    } catch {
      return [];
    }
  });
  return Number(texts[0]);
}

test('a command that moves itself into a cgroup is measured in that one', async () => {
  cgroup.create(limitBytes);
  const file = folder.file('a.db');
  const hold = `const held = Buffer.alloc(${heldBytes}, 1); setInterval(() => held.length, 1e6)`;
  const script = 'echo $$ > "$1" && exec "$2" -e "$3"';
  const command = ['sh', '-c', script, 'sh', cgroup.procsFile, process.execPath, hold];
  const options = ['--out', file, '--interval', '250ms', '--quiet'];
  const { child, result } = startCli(['record', ...options, '--', ...command]);
  await untilRecorded(file);
  await vi.waitFor(() => {
    using recording = openRecording(file);
    const last = recording.lastTick()?.cgroup;
    expect(last?.path.endsWith(cgroup.path)).toBe(true);
    expect(last?.limitBytes).toBe(limitBytes);
    expect(last?.chargedBytes).toBeGreaterThan(heldBytes);
    expect(Math.abs((last?.chargedBytes ?? 0) - charged())).toBeLessThan(2 ** 20);
  }, patience);
  child.kill('SIGTERM');
  // It was passed on to the command, which ended by it.
  expect(await result).toMatchObject({ exitCode: 143 });

  const report = JSON.parse((await runCli('report', file, '--format', 'json')).stdout);
  expect(report.memory).toMatchObject({ limitBytes });
  expect(report.memory.workingSetBytes.max).toBeLessThan(limitBytes);
  expect(report.notes.map(({ code }: { code: string }) => code)).toContain('cgroup_found');
  using recording = openRecording(file);
  const water = recording.highWater();
  expect(water).toMatchObject({ limitBytes, sinceUnixMs: expect.any(Number) });
  expect(water.workingSetBytes).toBeLessThan(limitBytes);
  expect(await runCli('verify', file)).toMatchObject({ exitCode: 0 });
});
