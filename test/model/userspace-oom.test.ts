import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDaemonKill } from '../../src/model/userspace-oom.ts';

// As the daemons print them: earlyoom 1.7 and 1.8, systemd-oomd 252.
test.each([
  [
    'sending SIGTERM to process 1985588 uid 1000 "(sd-pam)": badness 733, VmRSS 3 MiB',
    { daemon: 'earlyoom', pid: 1985588, cgroup: null },
  ],
  [
    'earlyoom[71]: sending SIGKILL to process 42 uid 0 "chromium": oom_score 870, VmRSS 412 MiB, cmdline "x"',
    { daemon: 'earlyoom', pid: 42, cgroup: null },
  ],
  [
    'systemd-oomd[939]: Killed /user.slice/user-1000.slice/user@1000.service/app.slice/a.scope due to memory pressure for /user.slice being 82.36% > 80.00% for > 20s with reclaim activity',
    {
      daemon: 'systemd-oomd',
      pid: null,
      cgroup: '/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope',
    },
  ],
  [
    'systemd-oomd[939]: Killed /system.slice/b.service due to memory used (8192000) / total (8388608) and swap used (900) / total (1000) being more than 90.00%',
    { daemon: 'systemd-oomd', pid: null, cgroup: '/system.slice/b.service' },
  ],
])('%s', (line, kill) => {
  expect(parseDaemonKill(line)).toEqual(kill);
});

test.each([
  ['earlyoom[71]: sending 0 (no-op signal) to process 42 uid 0 "x": badness 1, VmRSS 3 MiB'],
  ['earlyoom[71]: mem avail:    18 of   476 MiB ( 3.83%), swap free:    0 of    0 MiB ( 0.00%)'],
  ['Out of memory: Killed process 7 (x) total-vm:8kB, anon-rss:4kB, file-rss:0kB'],
  ['systemd[1]: a.scope: systemd-oomd killed 8 process(es) in this unit.'],
  [''],
])('no kill of a daemon: %s', (line) => {
  expect(parseDaemonKill(line)).toBeNull();
});

test('any text: a kill of one process or of one cgroup, or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (line) => {
      const kill = parseDaemonKill(line);
      expect(kill === null || (kill.pid === null) !== (kill.cgroup === null)).toBe(true);
    }),
  );
});
