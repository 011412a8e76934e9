import { expect, test } from 'vitest';
import { guestReports } from '../../src/analysis/agentos.ts';
import { guestEnd, lossClause, warningWords } from '../../src/analysis/agentos-wording.ts';
import { analyse } from '../../src/analysis/session-report.ts';
import type { RecordingEvent } from '../../src/model/event.ts';
import { renderText } from '../../src/report/text.ts';
import { agentOsReading, guestChange, limitWarning, vmChange } from '../support/agentos-vm.ts';
import { fakeRecording } from '../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';

const end = { change: 'ended', state: 'exited' } as const;

test('a guest is what its last change says, from its first one on', () => {
  const guests = guestReports([
    guestChange({ timeUnixMs: 1000 }),
    guestChange({ timeUnixMs: 2000, change: 'state', state: 'stopped' }),
    guestChange({ timeUnixMs: 3000, ...end, endSource: 'vanished' }),
    // The event came after the table.
    guestChange({ timeUnixMs: 3100, ...end, endSource: 'event', exitCode: 3 }),
  ]);
  expect(guests).toMatchObject([
    { firstUnixMs: 1000, endedUnixMs: 3100, exitCode: 3, endSource: 'event', depth: 0 },
  ]);
});

test('an id with another pid is another guest; one without a pid may learn it', () => {
  const guests = guestReports([
    guestChange({
      ...end,
      timeUnixMs: 1000,
      pid: null,
      command: null,
      endSource: 'event',
      exitCode: 0,
    }),
    guestChange({ ...end, timeUnixMs: 2000, pid: 6, endSource: 'event', exitCode: 0 }),
    guestChange({ timeUnixMs: 5000, pid: 9 }),
  ]);
  expect(guests.map(({ pid, firstUnixMs }) => [pid, firstUnixMs])).toEqual([
    [6, 1000],
    [9, 5000],
  ]);
});

test('lineage is in the id, also of orphans', () => {
  const [guest] = guestReports([
    guestChange({ processId: 'proc-1000000/child-1/child-2', parentPid: 0 }),
  ]);
  expect(guest).toMatchObject({ depth: 2, parentPid: 0 });
});

test.each([
  [{ endSource: 'event', exitCode: 0 }, 'exit code 0'],
  [
    { endSource: 'event', exitCode: 137 },
    'exit code 137 (as after signal 9, or by its own choice)',
  ],
  [{ endSource: 'snapshot', exitCode: 255 }, 'exit code 255'],
  [{ endSource: 'vanished', exitCode: null }, 'gone, and how is told by nobody'],
  [{ endSource: 'vm_lost', exitCode: null }, 'went with the VM, which was lost'],
  [{ endSource: null, exitCode: null }, null],
] as const)('%j is told as %s', (how, words) => {
  const [guest] = guestReports([guestChange({ ...how, ...end })]);
  expect(guest && guestEnd(guest)).toBe(words);
});

test('on a shared sidecar nobody knows of which VM a warning was', () => {
  const warning = { timeUnixMs: 0, category: 'resource', fillRatio: 0.8, likelyGuest: null };
  expect(
    warningWords({ ...warning, limit: 'vm_processes', observed: 205, capacity: 256, vmCount: 2 }),
  ).toBe('vm_processes: 205 of 256, of one of 2 VMs: which one is not told');
});

test('the loss of a shared sidecar is that of every VM in it', () => {
  const guests = guestReports([guestChange({ ...end, endSource: 'vm_lost' })]);
  const sidecar = {
    pid: 1,
    vmsMax: 2,
    rssMaxBytes: null,
    peakRssBytes: null,
    cpuSeconds: null,
    threadsMax: null,
    v8SessionsMax: null,
  };
  const how = {
    how: 'lost',
    timeUnixMs: 0,
    exitCode: null,
    signal: 'SIGKILL',
    message: null,
  } as const;
  const report = { vmId: 'vm-1', sidecar, guests, end: how, counters: [], limitWarnings: [] };
  expect(lossClause(report)).toBe(
    'the sidecar of vm-1 ended at 1970-01-01T00:00:00Z (SIGKILL): the VM was lost with it, 1 guest process, and every other VM of it',
  );
  expect(lossClause({ ...report, end: { ...how, how: 'disposed' } })).toBeNull();
});

const sidecar = fakeProcess({ pid: 4711, startTicks: 99, role: 'other', rssBytes: 200 * mib });

/** A VM that was recorded for 20 s, with more memory in use at the end. */
function reportOf(events: readonly RecordingEvent[]) {
  const samples = Array.from({ length: 21 }, (_, second) => ({
    ...fakeSample({
      second,
      machine: { totalBytes: 1000 * mib, availableBytes: second < 10 ? 900 * mib : 800 * mib },
      processes: [sidecar],
    }),
    agentOs: agentOsReading(),
  }));
  return analyse(fakeRecording({ samples, events, facts: { source: 'agentos' } }));
}

test('a guest without room in its heap is the verdict, where the warning can only be of this VM', () => {
  const at = startUnixMs + 5000;
  const warned = (vmCount: number) =>
    reportOf([
      vmChange({ timeUnixMs: startUnixMs }),
      limitWarning({ timeUnixMs: at, vmCount }),
      guestChange({ ...end, timeUnixMs: at + 500, pid: 5, endSource: 'event', exitCode: 1 }),
    ]).verdict;
  expect(warned(1)).toMatchObject({
    kind: 'v8_heap_limit',
    summary: expect.stringMatching(
      /^Most likely node \(pid 5 in the VM\), which ended with 1 right after, met the limit of its JavaScript heap \(61\.0 MiB\).*at least 80 % .*; the memory is that of the machine, of which the VM is a part\.$/,
    ),
    advice: [expect.stringContaining('v8HeapLimitMb')],
  });
  expect(warned(2)).toMatchObject({
    kind: 'healthy',
    summary: expect.stringContaining('of one of 2 VMs: which one is not told'),
  });
});

test('a sidecar that its own client killed for its silence is told so', () => {
  const at = startUnixMs + 20_000;
  const said =
    'sidecar unresponsive: no protocol frames or heartbeats for 30206ms; killing sidecar';
  const exit = { role: 'other', exitCode: null, signal: 'SIGKILL', source: 'owner' } as const;
  const { verdict } = reportOf([
    vmChange({ timeUnixMs: startUnixMs }),
    { kind: 'process_exit', timeUnixMs: at, pid: 4711, startTicks: 99, ...exit },
    vmChange({ timeUnixMs: at, state: 'lost', signal: 'SIGKILL', message: said }),
  ]);
  expect(verdict.summary).toContain(
    `with it went the VM vm-1, 0 guest processes; agentOS said: ${said}`,
  );
  expect(verdict.advice[0]).toMatch(/^Look for what kept the sidecar from speaking/);
});

test('of a VM nothing is said about what its browser began', () => {
  const text = renderText(reportOf([vmChange({ timeUnixMs: startUnixMs })]));
  expect(text).toContain('largest step: 100 MiB within 5 s');
  expect(text).not.toContain('browser began');
});
