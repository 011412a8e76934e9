import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { attachAgentOs } from '../../src/agentos/attach-agentos.ts';
import { type GuestReport, guestReports } from '../../src/analysis/agentos.ts';
import { analyse, type SessionReport } from '../../src/analysis/session-report.ts';
import { createLimitedCgroup } from '../../src/collector/cgroup/limited-cgroup.ts';
import { locateCgroupOf } from '../../src/collector/local-sources.ts';
import { ownCpuMs } from '../../src/collector/own-cost.ts';
import { renderText } from '../../src/report/text.ts';
import { openRecording } from '../../src/store/reader.ts';

// The real package against attachAgentOs: `npm run test:agentos` (docs/agentos.md has what it printed).
// Argument: a folder with @rivet-dev/agentos-core in its node_modules.

interface Spawned {
  pid: number;
}
interface AgentOsVm {
  process: {
    spawn(command: string, args: readonly string[]): Promise<Spawned>;
    kill(pid: number): unknown;
    signal(pid: number, name: string): unknown;
    wait(pid: number): Promise<unknown>;
  };
  dispose(): Promise<void>;
  _sidecarClient: { protocolClient: { child: { pid: number; kill(signal: string): boolean } } };
}
interface Sidecar {
  dispose(): Promise<void>;
}
interface AgentOsClass {
  create(options?: object): Promise<AgentOsVm>;
  createSidecar(): Promise<Sidecar>;
}

const [packageFolder = ''] = process.argv.slice(2);
const out = fs.mkdtempSync(path.join(os.tmpdir(), 'headroom-agentos-'));
const AgentOs = await loadPackage(path.resolve(packageFolder));
const idle = ['-e', 'setInterval(() => {}, 1000)'];
// The sidecar's handles keep no program alive.
const stay = setInterval(() => fs.existsSync(out), 1000);
try {
  await recordOneOfEach();
  await recordSharedVms();
  await recordSidecarKill();
  await recordOomKill();
  await measureCost();
  print('\nall of it held');
} finally {
  clearInterval(stay);
  fs.rmSync(out, { recursive: true, force: true });
}

/** A heap-limited guest, a killed one with children, a polite one, and a disposal that is no crash. */
async function recordOneOfEach(): Promise<void> {
  const { vm, sidecar } = await ownVm({ limits: { jsRuntime: { v8HeapLimitMb: 64 } } });
  const recording = attachAgentOs(vm, { out: path.join(out, 'guests.db') });
  const family = await vm.process.spawn('node', [
    '-e',
    `const { spawn } = require('child_process');
     const idle = ['-e', 'setInterval(() => {}, 1000)'];
     spawn('node', idle, { stdio: 'ignore' });
     spawn('node', idle, { stdio: 'ignore', detached: true });
     setInterval(() => {}, 1000);`,
  ]);
  await until('three guests', () => guestsIn(recording.path).length === 3);
  vm.process.kill(family.pid);
  await until('a gone child', () => endSources(recording.path).includes('vanished'));
  const polite = await vm.process.spawn('node', [
    '-e',
    "process.on('SIGTERM', () => process.exit(5)); setInterval(() => {}, 1000)",
  ]);
  await until('the polite one', () => guestsIn(recording.path).length === 4);
  await sleep(1500);
  vm.process.signal(polite.pid, 'SIGTERM');
  await vm.process.wait(polite.pid);
  const hog = await vm.process.spawn('node', [
    '-e',
    'const all = []; setInterval(() => { for (let i = 0; i < 20; i++) all.push(new Array(40000).fill(i)); }, 20)',
  ]);
  await vm.process.wait(hog.pid);
  await until(
    'the heap warning',
    () => (reportOf(recording.path).agentOs?.limitWarnings.length ?? 0) > 0,
  );
  await vm.dispose();
  const end = await recording.ended;
  await sidecar.dispose();
  const report = show('a heap-limited guest, a killed one and a polite one', recording.path);
  assert.equal(end.endReason, 'deleted');
  assert.equal(end.isWhole, true);
  const byId = new Map(report.agentOs?.guests.map((guest) => [guest.processId, guest]));
  assert.equal(byId.get('proc-1000000')?.exitCode, 137);
  assert.ok((byId.get('proc-1000000')?.startedUnixMs ?? 0) > Date.now() - 600_000);
  assert.equal(byId.get('proc-1000000/child-1')?.endSource, 'vanished');
  assert.equal(byId.get('proc-1000000/child-1')?.exitCode, null);
  assert.equal(byId.get('proc-1000000/child-2')?.parentPid, 0);
  assert.equal(byId.get('proc-1000000/child-2')?.endSource, 'vm_disposed');
  assert.equal(byId.get('proc-1000001')?.exitCode, 5);
  assert.equal(byId.get('proc-1000002')?.exitCode, 1);
  const warning = report.agentOs?.limitWarnings.find(({ limit }) => limit === 'v8_heap_bytes');
  assert.equal(warning?.likelyGuest?.processId, 'proc-1000002');
  assert.equal(report.deaths.length, 0);
}

/** Two VMs of one sidecar: each recording says so, and neither takes its memory for its own. */
async function recordSharedVms(): Promise<void> {
  const vms = [await AgentOs.create(), await AgentOs.create()];
  const recordings = vms.map((vm, index) =>
    attachAgentOs(vm, { out: path.join(out, `shared-${index}.db`) }),
  );
  const guests = await Promise.all(vms.map((vm) => vm.process.spawn('node', idle)));
  for (const { path: file } of recordings)
    await until('a guest', () => guestsIn(file).length === 1);
  for (const [index, vm] of vms.entries()) vm.process.kill(guests[index]?.pid ?? 0);
  for (const { path: file } of recordings) {
    await until('its end', () => guestsIn(file)[0]?.endedUnixMs != null);
  }
  for (const recording of recordings) await recording.stop();
  for (const vm of vms) await vm.dispose();
  for (const { path: file } of recordings) {
    const { agentOs } = reportOf(file);
    assert.equal(agentOs?.sidecar.vmsMax, 2);
    assert.equal(
      agentOs?.counters.find(({ name }) => name === 'inodes'),
      undefined,
    );
    assert.equal(agentOs?.guests.length, 1);
    assert.equal(agentOs?.guests[0]?.exitCode, 137);
  }
  show('one of two VMs on a shared sidecar', recordings[0]?.path ?? '');
}

async function recordSidecarKill(): Promise<void> {
  const { vm } = await ownVm({});
  const recording = attachAgentOs(vm, { out: path.join(out, 'killed.db') });
  await vm.process.spawn('node', idle);
  await until('a guest', () => guestsIn(recording.path).length === 1);
  vm._sidecarClient.protocolClient.child.kill('SIGKILL');
  const end = await recording.ended;
  const report = show('a sidecar that somebody killed', recording.path);
  assert.equal(end.endReason, 'vm_lost');
  assert.equal(report.agentOs?.end?.how, 'lost');
  assert.equal(report.agentOs?.end?.signal, 'SIGKILL');
  assert.deepEqual(endSources(recording.path), ['vm_lost']);
  assert.equal(report.verdict.kind, 'killed');
}

/** The kernel kills the sidecar for the memory of its guests, which no limit of the VM bounds. */
async function recordOomKill(): Promise<void> {
  const { vm } = await ownVm({});
  const sidecarPid = vm._sidecarClient.protocolClient.child.pid;
  const cgroup = createLimitedCgroup({
    limitBytes: 300 * 2 ** 20,
    name: `headroom-agentos-${process.pid}`,
    location: locateCgroupOf('self'),
  });
  try {
    fs.writeFileSync(cgroup.procsFile, String(sidecarPid));
    const recording = attachAgentOs(vm, { out: path.join(out, 'oom.db') });
    await vm.process.spawn('node', [
      '-e',
      'const all = []; setInterval(() => all.push(Buffer.alloc(8 * 2 ** 20, 1)), 50)',
    ]);
    const end = await recording.ended;
    const report = show('a sidecar that the kernel killed for want of memory', recording.path);
    assert.equal(end.endReason, 'vm_lost');
    assert.equal(report.verdict.kind, 'kernel_oom');
    assert.equal(report.agentOs?.end?.how, 'lost');
    assert.deepEqual([...new Set(endSources(recording.path))], ['vm_lost']);
  } finally {
    await cgroup.remove();
  }
}

/**
 * What the ticks took, at 1 Hz with five guests. While a tick waits for the VM the program goes on: what
 * it takes in that time without a recording is taken off.
 */
async function measureCost(): Promise<void> {
  const { vm, sidecar } = await ownVm({});
  for (let count = 0; count < 5; count++) await vm.process.spawn('node', idle);
  await sleep(5_000);
  const beforeMs = ownCpuMs();
  await sleep(20_000);
  const programMs = (ownCpuMs() - beforeMs) / 20_000;
  const recording = attachAgentOs(vm, { out: path.join(out, 'cost.db') });
  // Not what the beginning takes, such as the whole kernel log.
  await sleep(5_000);
  const fromUnixMs = Date.now();
  await sleep(30_000);
  await recording.stop();
  using stored = openRecording(recording.path);
  const ticks = [...stored.ticks({ fromUnixMs })];
  const [first] = ticks;
  const last = ticks.at(-1);
  assert.ok(first !== undefined && last !== undefined);
  const seconds = (last.monotonicMs - first.monotonicMs) / 1000;
  const atMost = (last.collector.cpuMs - first.collector.cpuMs) / seconds;
  const readMs = ticks.slice(1).reduce((sum, { collector }) => sum + (collector.readMs ?? 0), 0);
  const own = atMost - (programMs * readMs) / seconds;
  const figures = [own, atMost, programMs * 1000].map((ms) => ms.toFixed(1));
  print(
    `\ncost: ${figures[0]} ms of CPU a second at 1 Hz, five guests (${figures[1]} with what the program did meanwhile, which takes ${figures[2]} by itself)`,
  );
  // Beside other work a sample finds cold caches, and waits while its program goes on.
  const [load = 0] = os.loadavg();
  if (load > 2 * os.availableParallelism()) print(`not judged at a load of ${load.toFixed(1)}`);
  else assert.ok(own <= 5, 'more than 5 ms of CPU a second');
  await vm.dispose();
  await sidecar.dispose();
}

async function ownVm(options: object): Promise<{ vm: AgentOsVm; sidecar: Sidecar }> {
  const sidecar = await AgentOs.createSidecar();
  const vm = await AgentOs.create({ ...options, sidecar: { kind: 'explicit', handle: sidecar } });
  return { vm, sidecar };
}

async function loadPackage(folder: string): Promise<AgentOsClass> {
  const { resolve } = createRequire(pathToFileURL(`${folder}/package.json`));
  const module = await import(pathToFileURL(resolve('@rivet-dev/agentos-core')).href);
  return module.AgentOs;
}

function reportOf(file: string): SessionReport {
  return analyse(file);
}

function guestsIn(file: string): readonly GuestReport[] {
  using recording = openRecording(file);
  return guestReports(recording.events());
}

function endSources(file: string) {
  return guestsIn(file).map(({ endSource }) => endSource);
}

function show(title: string, file: string): SessionReport {
  const report = reportOf(file);
  print(`\n=== ${title}\n\n${renderText(report)}`);
  return report;
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 120_000;
  while (!holds()) {
    if (Date.now() > deadlineMs) throw new Error(`waited two minutes for ${what}`);
    await sleep(500);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
