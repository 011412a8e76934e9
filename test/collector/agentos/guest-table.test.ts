import { expect, test } from 'vitest';
import { guestRowsOf } from '../../../src/collector/agentos/guest-row.ts';
import { GuestTable } from '../../../src/collector/agentos/guest-table.ts';
import { snapshotRow } from '../../support/agentos-vm.ts';

const nobody = () => null;

function table(startedProcess: ConstructorParameters<typeof GuestTable>[0] = nobody) {
  const guests = new GuestTable(startedProcess);
  let timeUnixMs = 0;
  const observe = (...entries: object[]) => {
    timeUnixMs += 1000;
    return guests.observe(guestRowsOf(entries) ?? [], timeUnixMs);
  };
  return { guests, observe };
}

test('a process is told when it is met, and not again while nothing changes', () => {
  const { observe } = table();
  expect(observe(snapshotRow({ processId: 'proc-1000000', pid: 1 }))).toEqual([
    {
      kind: 'guest_process',
      timeUnixMs: 1000,
      change: 'seen',
      processId: 'proc-1000000',
      pid: 1,
      parentPid: 0,
      groupPid: 1,
      sessionPid: 1,
      state: 'running',
      command: 'node',
      startedUnixMs: null,
      exitCode: null,
      endSource: null,
    },
  ]);
  expect(observe(snapshotRow({ processId: 'proc-1000000', pid: 1 }))).toEqual([]);
});

test('a child of which only the absence is known has no code', () => {
  const { observe } = table();
  observe(snapshotRow({ processId: 'proc-1000000/child-1', pid: 2, ppid: 1 }));
  expect(observe()).toMatchObject([
    { change: 'ended', state: 'exited', exitCode: null, endSource: 'vanished' },
  ]);
});

test('an end that is told twice is recorded once, whoever comes first', () => {
  const first = table();
  first.observe(snapshotRow({ processId: 'proc-1000000', pid: 1 }));
  expect(first.guests.exited('proc-1000000', 137, 1500)).toMatchObject([
    { exitCode: 137, endSource: 'event', pid: 1 },
  ]);
  expect(
    first.observe(
      snapshotRow({ processId: 'proc-1000000', pid: 1, status: 'exited', exitCode: 137 }),
    ),
  ).toEqual([]);

  const second = table();
  second.observe(snapshotRow({ processId: 'proc-1000000', pid: 1 }));
  expect(
    second.observe(
      snapshotRow({ processId: 'proc-1000000', pid: 1, status: 'exited', exitCode: 5 }),
    ),
  ).toMatchObject([{ exitCode: 5, endSource: 'snapshot' }]);
  expect(second.guests.exited('proc-1000000', 5, 2500)).toEqual([]);
});

test('a table that was read before the event came brings nobody back to life', () => {
  const { guests, observe } = table();
  observe(snapshotRow({ processId: 'proc-1000000', pid: 1 }));
  guests.exited('proc-1000000', 0, 1500);
  expect(observe(snapshotRow({ processId: 'proc-1000000', pid: 1 }))).toEqual([]);
});

test('an event that comes after the process had vanished tells the code', () => {
  const { guests, observe } = table();
  observe(snapshotRow({ processId: 'proc-1000000', pid: 1 }));
  observe();
  expect(guests.exited('proc-1000000', 3, 2500)).toMatchObject([
    { exitCode: 3, endSource: 'event', pid: 1 },
  ]);
});

test('a process that ended between two looks is known by its event, its pid later if at all', () => {
  const { guests, observe } = table();
  expect(guests.exited('execution:operation-1:1', 0, 500)).toMatchObject([
    { pid: null, command: null, exitCode: 0, endSource: 'event' },
  ]);
  const row = { processId: 'execution:operation-1:1', pid: 6, status: 'exited', exitCode: 0 };
  expect(observe(snapshotRow({ ...row, command: 'sh' }))).toMatchObject([
    { change: 'ended', pid: 6, command: 'sh', exitCode: 0, endSource: 'event' },
  ]);
  expect(observe(snapshotRow({ ...row, command: 'sh' }))).toEqual([]);
});

test('a stopped process, and one that lost its parent: 0 is no process', () => {
  const { observe } = table();
  const child = { processId: 'proc-1000000/child-2', pid: 3, ppid: 1 };
  observe(snapshotRow(child));
  expect(observe(snapshotRow({ ...child, status: 'stopped' }))).toMatchObject([
    { change: 'state', state: 'stopped' },
  ]);
  expect(observe(snapshotRow({ ...child, status: 'stopped', ppid: 0 }))).toMatchObject([
    { change: 'parent', parentPid: 0, state: 'stopped' },
  ]);
});

test('an id with another pid is another process', () => {
  const { observe } = table();
  observe(snapshotRow({ processId: 'proc-1000000', pid: 1 }));
  expect(observe(snapshotRow({ processId: 'proc-1000000', pid: 9 }))).toMatchObject([
    { change: 'ended', pid: 1, endSource: 'vanished' },
    { change: 'seen', pid: 9 },
  ]);
});

test('what the owner started has the name and the start that its client knows, without arguments', () => {
  const { observe } = table((publicPid) =>
    publicPid === 1_000_000
      ? { command: 'git clone https://user:pw@host', startedUnixMs: 77 }
      : null,
  );
  expect(
    observe(snapshotRow({ processId: 'proc-1000000', pid: 1, command: 'wasm' })),
  ).toMatchObject([{ command: 'git', startedUnixMs: 77 }]);
});

test('a WebAssembly child has no name: wasm is the runner', () => {
  const { observe } = table();
  expect(
    observe(snapshotRow({ processId: 'execution:operation-1:1/child-1', pid: 8, command: 'wasm' })),
  ).toMatchObject([{ command: null, startedUnixMs: null }]);
});

test('what goes with its VM has no code, were it a moment before the end', () => {
  const { guests, observe } = table();
  observe(
    snapshotRow({ processId: 'proc-1000000', pid: 1 }),
    snapshotRow({ processId: 'proc-1000000/child-1', pid: 2, ppid: 1 }),
  );
  guests.exited('proc-1000000', 4, 1500);
  expect(guests.endAll('vm_lost', 2000)).toMatchObject([
    { processId: 'proc-1000000/child-1', exitCode: null, endSource: 'vm_lost' },
  ]);
  expect(guests.endAll('vm_lost', 2000)).toEqual([]);
});

test.each([
  ['no table', null, null],
  ['a row without a pid', [{ processId: 'a', status: 'running' }], []],
  ['a state that is none', [snapshotRow({ status: 'zombie' })], []],
])('%s', (_, answer, rows) => {
  expect(guestRowsOf(answer)).toEqual(rows);
});
