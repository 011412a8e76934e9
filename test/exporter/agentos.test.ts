import { expect, test } from 'vitest';
import { agentOsTable } from '../../src/exporter/file/tables/agentos-table.ts';
import { eventRecord } from '../../src/exporter/otlp/event-record.ts';
import { SessionPoints } from '../../src/exporter/otlp/session-points.ts';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { agentOsReading, guestChange, limitWarning, vmChange } from '../support/agentos-vm.ts';
import { fakeSample } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended } from '../support/record-samples.ts';
import { syntheticFacts } from '../support/synthetic-session.ts';

const events = [
  guestChange({ change: 'ended', state: 'exited', exitCode: 137, endSource: 'event' }),
  guestChange({ change: 'ended', state: 'exited', exitCode: 0, endSource: 'event' }),
  guestChange({ change: 'ended', state: 'exited', exitCode: null, endSource: 'vanished' }),
  limitWarning({ vmCount: 2 }),
  vmChange({ state: 'lost', signal: 'SIGKILL' }),
];

function recordVm(file: string): void {
  const writer = StoreWriter.open(file, { ...syntheticFacts(), source: 'agentos' });
  writer.writeSample({ ...fakeSample({ second: 0 }), agentOs: agentOsReading() }, events);
  const shared = agentOsReading({ sidecarVmCount: 2, sidecarCpuMs: 3_700, filesystemBytes: null });
  writer.writeSample({ ...fakeSample({ second: 1 }), agentOs: shared }, []);
  writer.close(ended);
}

test('every figure of the VM is a point of its metric, and an unknown one is none', () => {
  using folder = temporaryFolder();
  const file = folder.file('vm.db');
  recordVm(file);
  using recording = openRecording(file);
  const points = new SessionPoints(recording.facts).pointsOf(recording, [...recording.ticks()]);
  const valuesAt = (index: number) =>
    new Map(
      (points[index] ?? [])
        .filter(({ series }) => series.metric.name.startsWith('headroom.agentos.'))
        .map(({ series: { metric, attributes }, value }) => {
          const which =
            attributes['headroom.agentos.resource'] ?? attributes['headroom.agentos.process.state'];
          const name = metric.name.slice('headroom.agentos.'.length);
          return [which === undefined ? name : `${name} ${which}`, value];
        }),
    );
  const first = valuesAt(0);
  expect(first.get('processes living')).toBe(3);
  expect(first.get('resources file_descriptor')).toBe(12);
  expect(first.get('resources.limit process')).toBe(256);
  expect(first.get('filesystem.usage')).toBe(185_329);
  expect(first.get('sidecar.memory.usage')).toBe(286_261_248);
  expect(first.get('sidecar.v8.cpu.max')).toBe(0.043);
  // Counters begin with 0.
  expect(first.get('sidecar.cpu.time')).toBe(0);
  const second = valuesAt(1);
  expect(second.get('sidecar.cpu.time')).toBe(0.5);
  expect(second.get('sidecar.vms')).toBe(2);
  expect(second.has('filesystem.usage')).toBe(false);
});

test('ends with a code that is not 0, warnings and the loss of the VM are log records', () => {
  using folder = temporaryFolder();
  const file = folder.file('vm.db');
  recordVm(file);
  using recording = openRecording(file);
  const records = recording
    .storedEvents(0, 10)
    .map((stored) => eventRecord(stored, recording.facts))
    .filter((record) => record !== null);
  expect(records.map(({ name, severity, body }) => [name, severity, body])).toEqual([
    ['headroom.agentos.process.exit', 'WARN', 'guest process proc-1000000 (node) ended with 137'],
    [
      'headroom.agentos.limit_warning',
      'WARN',
      'limit v8_heap_bytes: 63963136 of 63963136, 100 %; of which VM of the sidecar is not told',
    ],
    ['headroom.agentos.vm.change', 'ERROR', 'VM vm-1 was lost: its sidecar died (SIGKILL)'],
  ]);
});

test('for other tools there is a table, which is empty where no VM was recorded', () => {
  using folder = temporaryFolder();
  const [vm, browser] = [folder.file('vm.db'), folder.file('browser.db')];
  recordVm(vm);
  const writer = StoreWriter.open(browser, syntheticFacts());
  writer.writeSample(fakeSample({ second: 0 }), []);
  writer.close(ended);
  const names = agentOsTable.columns.map(({ name }) => name);
  using recording = openRecording(vm);
  const rows = [...agentOsTable.rows(recording, {})];
  expect(rows.map((row) => row[names.indexOf('sidecar_vm_count')])).toEqual([1, 2]);
  using other = openRecording(browser);
  expect([...agentOsTable.rows(other, {})]).toEqual([]);
});
