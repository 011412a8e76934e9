import fs from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { locateCgroup } from '../../src/collector/cgroup/locate-cgroup.ts';
import type { TreeNode } from '../../src/collector/chromium/browser-tree.ts';
import { ProcFs } from '../../src/collector/procfs/proc-fs.ts';
import { strangersIn } from '../../src/collector/session-boundary.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const ours = '11111111-aaaa-4bbb-8ccc-000000000001';
const theirs = '11111111-aaaa-4bbb-8ccc-000000000002';
const groups = (v1: string, v2: string) => `4:memory:${v1}\n1:cpu:/\n0::${v2}\n`;

function browser(pid: number, files: { cgroup?: string; environ?: string }): TreeNode {
  fs.mkdirSync(folder.file(String(pid)), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    fs.writeFileSync(folder.file(`${pid}/${name}`), text);
  }
  return {
    pid,
    startTicks: 1,
    parentPid: 1,
    ownRole: 'browser',
    role: 'browser',
    browserPid: null,
  };
}

const strangers = (cgroup: string, hostSession: string | null = null) =>
  strangersIn(
    { cgroup: locateCgroup({ cgroup, mountinfo: null }), hostSession },
    new ProcFs(folder.path),
  );

test.each<[string, string, string]>([
  ['cgroup v1', groups(`/x/headroom-host-${ours}`, '/'), groups(`/x/headroom-host-${theirs}`, '/')],
  ['cgroup v2', `0::/headroom-host-${ours}\n`, `0::/headroom-host-${theirs}\n`],
])('%s: a browser in the cgroup of another session, or in none, is a stranger', (_, own, other) => {
  const isStranger = strangers(own, ours);
  expect(isStranger?.(browser(10, { cgroup: own }))).toBe(false);
  expect(isStranger?.(browser(11, { cgroup: own.replace(ours, `${ours}/below`) }))).toBe(false);
  expect(isStranger?.(browser(12, { cgroup: other }))).toBe(true);
  expect(isStranger?.(browser(13, { cgroup: '4:memory:/\n0::/\n' }))).toBe(true);
});

test('without a cgroup of the session the variable in the environment tells it', () => {
  const isStranger = strangers('4:memory:/\n0::/\n', ours);
  const environ = (id: string) => `HEADROOM_HOST_SESSION=${id}\0PATH=/bin\0`;
  expect(isStranger?.(browser(20, { environ: environ(ours) }))).toBe(false);
  expect(isStranger?.(browser(21, { environ: environ(theirs) }))).toBe(true);
  expect(isStranger?.(browser(22, { environ: 'PATH=/bin\0' }))).toBe(true);
});

test('what cannot be read is asked again, and what was told once is not', () => {
  const own = `0::/headroom-host-${ours}\n`;
  const isStranger = strangers(own);
  const node = browser(30, {});
  expect(isStranger?.(node)).toBe(true);
  browser(30, { cgroup: own });
  expect(isStranger?.(node)).toBe(false);
  browser(30, { cgroup: '0::/\n' });
  expect(isStranger?.(node)).toBe(false);
});

test('a session that is a machine of its own has every browser of it', () => {
  expect(strangers('0::/system.slice/api.service\n')).toBeNull();
  expect(strangers('0::/headroom-host-run\n')).toBeNull();
});
