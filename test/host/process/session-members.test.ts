import { expect, test } from 'vitest';
import type { HostMachine, MachineProcess } from '../../../src/host/machine.ts';
import { SessionMembers } from '../../../src/host/process/session-members.ts';

const id = '11111111-aaaa-4bbb-8ccc-000000000001';
const other = '11111111-aaaa-4bbb-8ccc-000000000002';
const mount = (session: string) => {
  const tmp = ['/data/sessions', session, 'root', 'tmp'].join('/');
  return `30 1 0:5 / / rw - ext4 a b\n40 30 0:5 ${tmp} /tmp rw - ext4 a b\n`;
};

interface Known {
  parent?: number;
  environment?: string;
  mounts?: string;
}

function members(known: Readonly<Record<number, Known>>): number[] {
  const unused = () => {
    throw new Error('not used here');
  };
  const processes = Object.entries(known).map(
    ([pid, { parent = 1 }]): MachineProcess => ({
      pid: Number(pid),
      parentPid: parent,
      startTicks: 1,
      comm: 'x',
      state: 'S',
      cpuTicks: 0,
    }),
  );
  const machine: HostMachine = {
    ticksPerSecond: 100,
    nowTicks: () => 0,
    processes: () => processes,
    process: unused,
    residentBytes: unused,
    commandLine: unused,
    environment: (pid) => known[pid]?.environment ?? null,
    mounts: (pid) => known[pid]?.mounts ?? null,
    createCgroup: unused,
    cgroupMembers: unused,
    removeCgroup: unused,
    oomKills: unused,
    close: unused,
  };
  return new SessionMembers({ sessionId: id, cgroup: null, machine }).list().map(({ pid }) => pid);
}

test('by its variable, its /tmp or its parents a process is known to be of the session', () => {
  expect(
    members({
      10: { environment: `HEADROOM_HOST_SESSION=${id}\0PATH=/bin\0` },
      11: { parent: 10, environment: '' },
      12: { parent: 11 },
      // A daemon that cleared its environment; no parent tells whose it is.
      20: { environment: '', mounts: mount(id) },
      21: { parent: 20 },
      30: { environment: `HEADROOM_HOST_SESSION=${other}\0`, mounts: mount(other) },
      31: { environment: 'PATH=/bin\0', mounts: '30 1 0:5 / / rw - ext4 a b\n' },
    }),
  ).toEqual([10, 11, 12, 20, 21]);
});
