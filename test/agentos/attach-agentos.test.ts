import { existsSync, renameSync, rmSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { attachAgentOs } from '../../src/agentos/attach-agentos.ts';
import { analyse } from '../../src/analysis/session-report.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { verifyFile } from '../../src/store/verify/verify-file.ts';
import { FakeVm, snapshotRow } from '../support/agentos-vm.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';

// The sidecar is this very process here: what the kernel tells of it is real.
function attached(vm: FakeVm, file: string) {
  vm.processes = () => [snapshotRow({ processId: 'proc-1000000', pid: 1 })];
  vm.resources = () => ({
    openFds: 4,
    queueSnapshots: [{ name: 'vm_open_fds', depth: 4, capacity: 256 }],
  });
  return attachAgentOs(vm.agentOs, { out: file, intervalMs: 100, labels: { workload: 'test' } });
}

function hasGuest(file: string): void {
  using recording = openRecording(file);
  expect(recording.events().some(({ kind }) => kind === 'guest_process')).toBe(true);
}

test('records the VM, the sidecar and its owner, until it is stopped', async () => {
  using folder = temporaryFolder();
  const file = folder.file('vm.db');
  const recording = attached(new FakeVm(), file);
  await vi.waitFor(() => hasGuest(file), { timeout: 60_000 });
  const end = await recording.stop();
  expect(end).toMatchObject({ endReason: 'detached', isWhole: true, error: null });
  expect(await recording.stop()).toEqual(end);
  using stored = openRecording(file);
  expect(stored.facts).toMatchObject({
    id: recording.sessionId,
    source: 'agentos',
    labels: { workload: 'test' },
    endReason: 'detached',
  });
  expect(stored.processes().map(({ pid }) => pid)).toContain(process.pid);
  const tick = [...stored.ticks()].find(({ agentOs }) => agentOs?.openFdCount === 4);
  expect(tick?.agentOs).toMatchObject({ processCount: 1, openFdLimit: 256, sidecarVmCount: 1 });
  expect(tick?.agentOs?.sidecarRssBytes).toBeGreaterThan(2 ** 20);
  expect(tick?.agentOs?.sidecarThreadCount).toBeGreaterThan(0);
  expect(verifyFile(file).isWhole).toBe(true);
});

test('ends with the VM: its loss is one event, and the guests went with it', async () => {
  using folder = temporaryFolder();
  const file = folder.file('vm.db');
  const vm = new FakeVm();
  const recording = attached(vm, file);
  await vi.waitFor(() => hasGuest(file), { timeout: 60_000 });
  vm.exit(null, 'SIGKILL');
  expect(await recording.ended).toMatchObject({ endReason: 'vm_lost', isWhole: true });
  const { agentOs, session, verdict } = analyse(file);
  expect(session.endReason).toBe('vm_lost');
  expect(agentOs?.end).toMatchObject({ how: 'lost', signal: 'SIGKILL' });
  expect(agentOs?.guests).toMatchObject([{ exitCode: null, endSource: 'vm_lost' }]);
  expect(verdict.summary).toMatch(
    /went the VM vm-1, 1 guest process|the VM was lost with it, 1 guest process/,
  );
});

test('a file that was taken away has nothing, and the recording says why', async () => {
  using folder = temporaryFolder();
  const file = folder.file('vm.db');
  const recording = attached(new FakeVm(), file);
  await vi.waitFor(() => hasGuest(file), { timeout: 60_000 });
  rmSync(file);
  expect(await recording.stop()).toMatchObject({
    endReason: 'detached',
    sampleCount: 0,
    isWhole: false,
    error: { code: 'FILE_NOT_WRITABLE', message: expect.stringContaining(file) },
  });
});

test('a file that was moved has everything, and the recording says where', async () => {
  using folder = temporaryFolder();
  const [file, moved] = [folder.file('vm.db'), folder.file('elsewhere.db')];
  const recording = attached(new FakeVm(), file);
  await vi.waitFor(() => hasGuest(file), { timeout: 60_000 });
  renameSync(file, moved);
  expect(await recording.stop()).toMatchObject({
    isWhole: false,
    error: { code: 'FILE_NOT_WRITABLE', message: expect.stringContaining(moved) },
  });
  hasGuest(moved);
});

test('a file of format 3, and one that is there is not overwritten', async () => {
  using folder = temporaryFolder();
  const file = folder.file('vm.db');
  const vm = new FakeVm();
  await attached(vm, file).stop();
  const db = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
  expect(db.pragma('user_version', { simple: true })).toBe(3);
  db.close();
  expect(() => attached(vm, file)).toThrowError(expect.objectContaining({ code: 'FILE_EXISTS' }));
  expect(vm.handlers.size).toBe(0);
});

test('what is no VM, and options that make no sense, leave no file', () => {
  using folder = temporaryFolder();
  const out = folder.file('vm.db');
  const vm = new FakeVm().agentOs;
  expect(() => attachAgentOs({}, { out })).toThrowError(
    expect.objectContaining({ code: 'AGENTOS_NOT_USABLE' }),
  );
  expect(() => attachAgentOs(vm, { out, intervalMs: 10 })).toThrowError(RangeError);
  expect(() => attachAgentOs(vm, { out: '' })).toThrowError(TypeError);
  expect(existsSync(out)).toBe(false);
});
