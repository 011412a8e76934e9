import { describe, expect, test } from 'vitest';
import { vmHandleOf } from '../../../src/collector/agentos/vm-handle.ts';
import { VmWatch } from '../../../src/collector/agentos/vm-watch.ts';
import type { RecordingEvent } from '../../../src/model/event.ts';
import { FakeVm, frameOf, recordedScenario, snapshotRow } from '../../support/agentos-vm.ts';

const sidecar = { pid: 4711, startTicks: 99 };

function watching(vm = new FakeVm()) {
  let wall = 0;
  const watch = new VmWatch(vmHandleOf(vm.agentOs), { sidecar, wallMs: () => wall });
  const at = (ms: number) => {
    wall = ms;
  };
  return { vm, watch, at };
}

/** Plays a recorded scenario of one VM; gives the events, and the counters of each answer. */
async function replay(scenario: string, vmId = 'vm') {
  const { vm, watch, at } = watching();
  const events: RecordingEvent[] = [];
  const counters = [];
  for (const { ms, what, value } of recordedScenario(scenario)) {
    at(ms);
    const answer = value as { vms?: number; processes?: unknown; resources?: unknown };
    if (answer.vms !== undefined) vm.vmCount = answer.vms;
    if (what === 'frame') vm.hear(value);
    if (what === 'sidecar exit') {
      const { exitCode, signal } = value as { exitCode: number | null; signal: string | null };
      vm.exit(exitCode, signal);
    }
    if (what.startsWith(`poll ${vmId}`)) {
      const fail = () => Promise.reject(Object.assign(new Error(), value));
      vm.processes = what.endsWith('failed') ? fail : () => answer.processes;
      vm.resources = what.endsWith('failed') ? fail : () => answer.resources;
      counters.push((await watch.ask(10_000)).counters);
    }
    events.push(...watch.take());
  }
  return { events, counters };
}

function endsOf(events: readonly RecordingEvent[]) {
  return events.flatMap((event) =>
    event.kind === 'guest_process' && event.change === 'ended'
      ? [[event.processId, event.exitCode, event.endSource]]
      : [],
  );
}

describe('a recorded VM with a killed family, a polite guest, a stopped one and a hog', () => {
  test('ends are told once, with the code that the VM told and its source', async () => {
    const { events } = await replay('dedicated');
    const ends = endsOf(events);
    const ids = ends.map(([id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const byId = new Map(ends.map(([id, code, source]) => [id, [code, source]]));
    // SIGKILL from the owner: 137 and nothing more. Its child in the group is gone without a word; the
    // detached one outlives it, and goes with the VM.
    expect(byId.get('proc-1000000')).toEqual([137, 'event']);
    expect(byId.get('proc-1000000/child-1')).toEqual([null, 'vanished']);
    expect(byId.get('proc-1000000/child-2')).toEqual([null, 'vm_disposed']);
    // It caught SIGTERM and chose 5: the public wait called that `signalled`.
    expect(byId.get('proc-1000001')).toEqual([5, 'event']);
    expect(byId.get('proc-1000002')).toEqual([1, 'event']);
  });

  test('an orphan, and a stopped guest that goes on', async () => {
    const { events } = await replay('dedicated');
    const changes = events.flatMap((event) =>
      event.kind === 'guest_process' && event.change !== 'ended' ? [event] : [],
    );
    expect(
      changes.find(
        ({ processId, change }) => processId === 'proc-1000000/child-2' && change === 'parent',
      ),
    ).toMatchObject({ parentPid: 0, state: 'running' });
    const script = changes.filter(({ processId }) => processId.startsWith('execution:process-'));
    expect(script.map(({ state }) => state)).toEqual(['running', 'stopped', 'running']);
  });

  test('the heap warning names a limit, and no process', async () => {
    const { events } = await replay('dedicated');
    expect(events.filter(({ kind }) => kind === 'limit_warning')).toMatchObject([
      {
        limit: 'v8_heap_bytes',
        category: 'memory',
        observed: 63_963_136,
        capacity: 63_963_136,
        fillRatio: 1,
        vmCount: 1,
      },
    ]);
  });

  test('counters and limits of the VM', async () => {
    const { counters } = await replay('dedicated');
    expect(counters[0]).toMatchObject({
      processCount: 0,
      processLimit: 256,
      openFdLimit: 256,
      pipeLimit: 128,
      ptyLimit: 128,
      socketLimit: 256,
      connectionLimit: 256,
      filesystemBytes: 185_329,
      filesystemLimitBytes: 67_108_864,
      inodeCount: 366,
      inodeLimit: 16_384,
      sidecarVmCount: 1,
      sidecarV8SessionCount: 0,
      sidecarV8CpuMaxMs: null,
    });
    expect(counters[2]).toMatchObject({
      processCount: 3,
      openFdCount: 12,
      pipeCount: 3,
      sidecarV8SessionCount: 3,
      sidecarV8CpuMaxMs: 22,
      sidecarV8CpuLimitMs: 30_000,
    });
  });

  test('disposal is told as that, and the end of its sidecar with code 0 is no loss', async () => {
    const { events } = await replay('dedicated');
    const changes = events.filter((event) => event.kind === 'vm');
    expect(changes.map(({ state }) => state)).toEqual(['attached', 'disposed']);
  });
});

test('a recorded sidecar that was killed: one event, and the guests went with it', async () => {
  const { events } = await replay('killed');
  // The public wait of this guest said `exited` with code 1, and describe() `ready` with one VM.
  expect(endsOf(events)).toEqual([['proc-1000000', null, 'vm_lost']]);
  expect(events.filter((event) => event.kind === 'vm' && event.state === 'lost')).toMatchObject([
    { signal: 'SIGKILL', exitCode: null, sidecarPid: 4711, sidecarStartTicks: 99 },
  ]);
  expect(events.filter(({ kind }) => kind === 'process_exit')).toMatchObject([
    { pid: 4711, startTicks: 99, signal: 'SIGKILL', source: 'owner' },
  ]);
});

describe('a recorded VM of which the public calls told other things than its table and frames', () => {
  const publicly = (what: string) =>
    recordedScenario('misreported').find((entry) => entry.what === `public ${what}`)?.value;

  test('a child that ran was `exited` in the tree, and its start the time of the first call', async () => {
    expect(publicly('tree')).toMatchObject([
      { children: [{ pid: 2, state: 'exited', startedAtMs: expect.any(Number) }] },
    ]);
    const { events } = await replay('misreported');
    const child = events.flatMap((event) =>
      event.kind === 'guest_process' && event.processId === 'proc-1000000/child-1' ? [event] : [],
    );
    expect(child.map(({ change, state, startedUnixMs }) => [change, state, startedUnixMs])).toEqual(
      [
        ['seen', 'running', null],
        ['ended', 'exited', null],
      ],
    );
    // It had ended 2 s before, and was the last thing that the tree knew of; the list had no child.
    expect(publicly('tree after the end')).toMatchObject([{ pid: 1, state: 'exited' }]);
    expect(publicly('list')).toMatchObject([{ pid: 1_000_000 }]);
  });

  test('a signal is never told: SIGHUP was sent as SIGTERM, and 137 may be chosen', async () => {
    expect(publicly('wait of the hung up one')).toMatchObject({ signal: 'SIGHUP', exitCode: 143 });
    expect(publicly('wait of the one that chose 137')).toMatchObject({ exitCode: 137 });
    const { events } = await replay('misreported');
    expect(endsOf(events)).toEqual([
      ['proc-1000000', 137, 'event'],
      ['proc-1000000/child-1', null, 'vanished'],
      ['proc-1000001', 143, 'event'],
      ['proc-1000002', 137, 'event'],
      ['proc-1000003', 1, 'event'],
    ]);
  });

  test('CPU time is warned of at 80 and at 100 %, and ends with 1 like everything else', async () => {
    const { events } = await replay('misreported');
    const warnings = events.filter((event) => event.kind === 'limit_warning');
    expect(warnings.map(({ limit, fillRatio, capacity }) => [limit, fillRatio, capacity])).toEqual([
      ['v8_cpu_time_ms', 0.8, 2000],
      ['v8_cpu_time_ms', 1, 2000],
    ]);
  });
});

test('a recorded sidecar that was silent for 30 s: its own client killed it, and says so', async () => {
  const { events } = await replay('silent');
  expect(events.filter((event) => event.kind === 'vm' && event.state === 'lost')).toMatchObject([
    {
      signal: 'SIGKILL',
      message: expect.stringMatching(/^sidecar unresponsive: .* killing sidecar$/),
    },
  ]);
  expect(endsOf(events)).toEqual([['proc-1000000', null, 'vm_lost']]);
  expect(events.filter(({ kind }) => kind === 'note')).toEqual([]);
});

test('two recorded VMs on one sidecar: frames of the other are nobody’s here, its limits unknown', async () => {
  const { events, counters } = await replay('shared', 'vm-1');
  expect(endsOf(events)).toEqual([['proc-1000000', 137, 'event']]);
  expect(counters.at(-1)).toMatchObject({
    sidecarVmCount: 2,
    processCount: 0,
    openFdCount: 0,
    processLimit: null,
    inodeCount: null,
    filesystemBytes: null,
  });
});

test('a recorded policy that forbids to look: said once, and the rest goes on', async () => {
  const { events } = await replay('denied');
  expect(events.filter(({ kind }) => kind === 'note')).toMatchObject([
    {
      code: 'source_unreadable',
      message: expect.stringContaining('blocked by process.inspect policy'),
    },
  ]);
  expect(events.filter((event) => event.kind === 'vm' && event.state === 'lost')).toEqual([]);
});

test('an answer that is due keeps the next question back, and is no figure of its tick', async () => {
  const { vm, watch } = watching();
  const waiting: ((rows: unknown) => void)[] = [];
  let asked = 0;
  vm.processes = () => {
    asked++;
    return new Promise((resolve) => waiting.push(resolve));
  };
  expect((await watch.ask(0)).counters).toMatchObject({ processCount: null, sidecarVmCount: 1 });
  expect((await watch.ask(0)).isAnswered).toBe(false);
  expect(asked).toBe(1);
  waiting[0]?.([snapshotRow()]);
  expect((await watch.ask(10_000)).isAnswered).toBe(false);
  // What it told is not lost.
  expect(watch.take().filter(({ kind }) => kind === 'guest_process')).toHaveLength(1);
});

test('counters are asked for every second time, and when processes changed; else they are unknown', async () => {
  const { vm, watch } = watching();
  vm.resources = () => ({ openFds: 4 });
  const seen = async (...rows: object[]) => {
    vm.processes = () => rows;
    const { counters } = await watch.ask(10_000);
    return [counters.processCount, counters.openFdCount];
  };
  expect(await seen()).toEqual([0, 4]);
  expect(await seen()).toEqual([0, null]);
  expect(await seen()).toEqual([0, 4]);
  expect(await seen(snapshotRow())).toEqual([1, 4]);
  expect(await seen(snapshotRow())).toEqual([1, null]);
  expect(await seen(snapshotRow())).toEqual([1, 4]);
});

test('a disconnect waits for how the sidecar ended, and for ten seconds at most', async () => {
  const disconnect = Object.assign(new Error('sidecar process exited with disconnect'), {
    name: 'SidecarProcessExited',
    exitCode: null,
    signal: null,
  });
  const told = watching();
  told.vm.processes = () => Promise.reject(disconnect);
  await told.watch.ask(10_000);
  told.vm.exit(null, 'SIGKILL');
  expect(told.watch.take().filter((event) => event.kind === 'vm')).toMatchObject([
    { state: 'attached' },
    { state: 'lost', signal: 'SIGKILL', message: 'sidecar process exited with disconnect' },
  ]);

  const silent = watching();
  silent.vm.processes = () => Promise.reject(disconnect);
  await silent.watch.ask(10_000);
  silent.at(9_999);
  await silent.watch.ask(10_000);
  expect(silent.watch.take()).toHaveLength(1);
  silent.at(10_000);
  await silent.watch.ask(10_000);
  expect(silent.watch.take()).toMatchObject([{ state: 'lost', signal: null, exitCode: null }]);
});

test.each([
  ['a code that is not 0', 101, null, 'lost'],
  ['code 0, as by its disposal', 0, null, 'disposed'],
  ['a signal', null, 'SIGSEGV', 'lost'],
] as const)('a sidecar that ends with %s', (_, code, signal, state) => {
  const { vm, watch } = watching();
  const ends: string[] = [];
  watch.onEnd((end) => ends.push(end));
  vm.exit(code, signal);
  vm.hear(frameOf({ type: 'process_exited', process_id: 'proc-1000000', exit_code: 1 }));
  expect(ends).toEqual([state]);
  expect(endsOf(watch.take())).toEqual([]);
});

test('a warning names no VM: how many there were is kept with it', () => {
  const { vm, watch } = watching();
  vm.vmCount = 3;
  const detail = { limit: 'vm_processes', category: 'resource', observed: '205', capacity: '256' };
  vm.hear(frameOf({ type: 'structured', name: 'limit_warning', detail }, null));
  vm.hear(frameOf({ type: 'structured', name: 'something_else', detail: {} }, null));
  expect(watch.take().filter(({ kind }) => kind === 'limit_warning')).toMatchObject([
    { limit: 'vm_processes', observed: 205, capacity: 256, fillRatio: null, vmCount: 3 },
  ]);
});

test('what the owner started has its exact start, told by the client a moment later', async () => {
  const { vm, watch } = watching();
  vm.started.set(1_000_000, { pid: 1_000_000, command: 'git', startedAtMs: 77 });
  vm.processes = () => [
    snapshotRow({ processId: 'proc-1000000', pid: 1, command: 'wasm' }),
    snapshotRow({ processId: 'proc-1000001', pid: 2, command: 'wasm' }),
  ];
  await watch.ask(10_000);
  expect(watch.take().filter(({ kind }) => kind === 'guest_process')).toMatchObject([
    { command: 'git', startedUnixMs: 77 },
    { command: null, startedUnixMs: null },
  ]);
});

test('a dozen recorded VMs on one sidecar are one listener of its end', () => {
  const vm = new FakeVm();
  const watches = Array.from({ length: 12 }, () => watching(vm).watch);
  expect(vm.child.listenerCount('exit')).toBe(1);
  watches[0]?.close();
  vm.exit(null, 'SIGKILL');
  const states = watches.map((watch) =>
    watch.take().flatMap((event) => (event.kind === 'vm' ? [event.state] : [])),
  );
  expect(states[0]).toEqual(['attached', 'detached']);
  for (const others of states.slice(1)) expect(others).toEqual(['attached', 'lost']);
});

test('closed, it hears nothing any more, and says that the VM went on', () => {
  const { vm, watch } = watching();
  watch.close();
  expect(vm.handlers.size).toBe(0);
  expect(watch.take().map((event) => event.kind === 'vm' && event.state)).toEqual([
    'attached',
    'detached',
  ]);
});
