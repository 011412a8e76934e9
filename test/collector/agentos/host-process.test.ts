import { expect, test } from 'vitest';
import { findSidecar, HostProcess } from '../../../src/collector/agentos/host-process.ts';
import { FakeProc } from '../../support/fake-proc.ts';

const units = { clockTicksPerSecond: 100, pageSizeBytes: 4096 };
const ownerPid = 500;

function machine(): FakeProc {
  const fake = new FakeProc();
  fake.start(ownerPid);
  fake.start(501, {
    parentPid: ownerPid,
    comm: 'agentos-sidecar',
    residentPages: 70_000,
    sharedPages: 10_000,
    peakRssKb: 300_000,
    utimeTicks: 250,
    stimeTicks: 70,
    threads: 19,
  });
  return fake;
}

test('RSS, its peak, CPU and threads of one process, and no PSS, which is dear', () => {
  const fake = machine();
  const sidecar = HostProcess.open(fake.procFs, 501, units);
  expect(sidecar?.read()).toMatchObject({
    pid: 501,
    startTicks: 5010,
    parentPid: ownerPid,
    comm: 'agentos-sidecar',
    role: 'other',
    browserPid: null,
    rssBytes: 70_000 * 4096,
    anonBytes: 60_000 * 4096,
    peakRssBytes: 300_000 * 1024,
    pssBytes: null,
    cpuMs: 3_200,
    threadCount: 19,
    command: null,
  });
  expect([...fake.readCounts.keys()].filter((name) => name.includes('smaps'))).toEqual([]);
  sidecar?.close();
  expect(fake.openCount).toBe(0);
});

test('another process with its pid is not it', () => {
  const fake = machine();
  const sidecar = HostProcess.open(fake.procFs, 501, units);
  fake.start(501, { startTicks: 99_999 });
  expect(sidecar?.read()).toBeNull();
});

test('gone, and never there', () => {
  const fake = machine();
  const sidecar = HostProcess.open(fake.procFs, 501, units);
  fake.end(501);
  expect(sidecar?.read()).toBeNull();
  expect(HostProcess.open(fake.procFs, 777, units)).toBeNull();
});

test('where the client does not show it, it is the one child of that name', () => {
  const fake = machine();
  fake.start(502, { parentPid: 1, comm: 'agentos-sidecar' });
  fake.start(503, { parentPid: ownerPid, comm: 'node' });
  expect(findSidecar(fake.procFs, ownerPid, units)).toBe(501);
  fake.start(504, { parentPid: ownerPid, comm: 'agentos-sidecar' });
  expect(findSidecar(fake.procFs, ownerPid, units)).toBeNull();
  expect(fake.openCount).toBe(0);
});
