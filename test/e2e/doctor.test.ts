import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asNobody } from '../support/as-nobody.ts';
import { MemoryCgroup } from '../support/memory-cgroup.ts';
import { startTestBrowser } from '../support/test-browser.ts';

const main = fileURLToPath(new URL('../../dist/cli/headroom.cjs', import.meta.url));
const isRoot = process.geteuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };

let chromium: Awaited<ReturnType<typeof startTestBrowser>>;

beforeAll(async () => {
  chromium = await startTestBrowser();
});

afterAll(async () => {
  await chromium.close();
});

function doctor(options: ExecFileSyncOptions = {}) {
  const examined = execFileSync(process.execPath, [main, 'doctor', '--json'], options);
  return JSON.parse(examined.toString());
}

function statusOf(examination: ReturnType<typeof doctor>, name: string) {
  return examination.capabilities.find((capability: { name: string }) => capability.name === name);
}

/** Whether a file can be opened for reading by us at this moment. */
function canOpen(file: string): boolean {
  try {
    fs.closeSync(fs.openSync(file, 'r'));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

describe('headroom doctor', () => {
  test('as the user of the browser: everything of it, and what that costs', () => {
    const examination = doctor();
    expect(examination.schemaVersion).toBe(1);
    expect(examination.browsers).toContainEqual({
      pid: chromium.browser.pid,
      processCount: expect.any(Number),
    });
    expect(statusOf(examination, 'machine memory')).toMatchObject({ status: 'ok' });
    expect(statusOf(examination, 'PSS')).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('of Chromium'),
      consequence: null,
    });
    expect(statusOf(examination, 'kernel log').status).toBe(canOpen('/dev/kmsg') ? 'ok' : 'no');
    expect(examination.cost.processCount).toBeGreaterThan(8);
    expect(examination.cost.pssProcessCount).toBeGreaterThan(8);
    expect(examination.cost.sampleCpuMs).toBeGreaterThan(0);
    expect(examination.cost.pssCpuMs).toBeGreaterThan(0);
  });

  test.runIf(isRoot)('as root: how processes end, too', () => {
    expect(statusOf(doctor(), 'process exits')).toMatchObject({ status: 'ok', consequence: null });
  });

  test.runIf(isRoot)('as nobody: what cannot be read, why, and what would help', (context) => {
    const isReachable = asNobody(() => canOpen(main) && canOpen(process.execPath));
    context.skip(!isReachable, 'nobody may not read this checkout');
    const examination = doctor(nobody);
    expect(statusOf(examination, 'processes')).toMatchObject({ status: 'ok' });
    expect(statusOf(examination, 'PSS')).toMatchObject({
      status: 'no',
      detail: expect.stringMatching(/smaps_rollup of 0 of \d+ processes of Chromium/),
      consequence: expect.stringContaining('Run as root'),
    });
    expect(examination.cost).toMatchObject({ pssCpuMs: null, pssProcessCount: 0 });
    if (asNobody(() => canOpen('/dev/kmsg'))) return;
    expect(statusOf(examination, 'kernel log')).toMatchObject({
      status: 'no',
      detail: expect.stringMatching(/^\/dev\/kmsg: (EPERM|EACCES)/),
      consequence: expect.stringContaining('Run as root'),
    });
  });

  test('inside of a memory cgroup: its limit is the limit', () => {
    const limitBytes = 256 * 2 ** 20;
    const cgroup = new MemoryCgroup(`headroom-doctor-${process.pid}`);
    cgroup.create(limitBytes);
    try {
      const script = 'echo $$ > "$1" && exec "$2" "$3" doctor --json';
      const args = ['-c', script, 'sh', cgroup.procsFile, process.execPath, main];
      const examination = JSON.parse(execFileSync('/bin/sh', args, { encoding: 'utf8' }));
      expect(limitBytes).toBeLessThan(os.totalmem());
      expect(examination.limit).toEqual({
        bytes: limitBytes,
        source: expect.stringMatching(/^cgroup_v[12]$/),
      });
      expect(statusOf(examination, 'memory cgroup')).toMatchObject({
        status: 'ok',
        detail: expect.stringContaining(`${cgroup.path}, with a limit of 256 MiB`),
      });
    } finally {
      cgroup.remove();
    }
  });

  test('as text it fits into 80 columns', () => {
    const lines = execFileSync(process.execPath, [main, 'doctor'], { encoding: 'utf8' }).split(
      '\n',
    );
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});
