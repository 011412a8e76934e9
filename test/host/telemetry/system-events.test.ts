import { expect, test } from 'vitest';
import { KmsgReader } from '../../../src/collector/kmsg/kmsg-reader.ts';
import { isKillOf, oomKillEvent } from '../../../src/host/telemetry/system-events.ts';

const session = '0f8fad5b-d9cb-469f-a165-70867728950e';

// As a Linux 6.18 wrote them, the session's name put in.
const lines = [
  'tail invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0',
  'CPU: 1 UID: 0 PID: 5623 Comm: tail Not tainted 6.18.44',
  `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/box/headroom-host-${session},task_memcg=/box/headroom-host-${session},task=tail,pid=5623,uid=0`,
  'Memory cgroup out of memory: Killed process 5623 (tail) total-vm:1044000kB, anon-rss:1040000kB, file-rss:1600kB, shmem-rss:0kB, UID:0 pgtables:2100kB oom_score_adj:0',
];

test('a kill of the kernel log becomes the event of the API, of the session it fell into', () => {
  const records = lines.map((line, index) => `6,${index + 1},${1_000_000 + index},-;${line}\n`);
  const reader = new KmsgReader({
    startedMonotonicMs: 0,
    calls: {
      openSync: () => 1,
      closeSync: () => undefined,
      readSync: ((_fd: number, buffer: Buffer) => {
        const record = records.shift();
        if (record === undefined) throw Object.assign(new Error('end'), { code: 'EAGAIN' });
        return buffer.write(record, 'latin1');
      }) as never,
    },
  });
  const [kill] = reader.read(2_000, 1_700_000_002_000).kills;
  if (kill === undefined) throw new Error('no kill was read');
  expect(isKillOf(kill, session)).toBe(true);
  expect(isKillOf(kill, '0f8fad5b-d9cb-469f-a165-70867728950f')).toBe(false);
  expect(oomKillEvent(kill, 0)).toEqual({
    ts: expect.any(Number),
    type: 'system_oom_kill',
    category: 'system',
    source: { kind: 'local_process', event: 'linux.oom_kill' },
    data: {
      process_name: 'tail',
      pid: 5623,
      rss_kb: 1_041_600,
      constraint: 'memcg',
      trigger_process_name: 'tail',
      trigger_pid: 5623,
    },
  });
});
