import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentOsReading } from '../../src/model/agentos.ts';
import { openDatabase } from '../../src/store/driver.ts';
import { openRecording } from '../../src/store/reader.ts';
import { Retention } from '../../src/store/retention.ts';
import { salvageFile } from '../../src/store/salvage/salvage-file.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { agentOsReading, guestChange, limitWarning, vmChange } from '../support/agentos-vm.ts';
import { fakeSample } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended } from '../support/record-samples.ts';
import { syntheticFacts } from '../support/synthetic-session.ts';

const reading = agentOsReading();
const guest = guestChange({
  change: 'ended',
  processId: 'proc-1000000/child-1',
  state: 'exited',
  command: null,
  endSource: 'vanished',
});
const warning = limitWarning();
const lost = vmChange({ state: 'lost', signal: 'SIGKILL' });
const facts = { ...syntheticFacts(), source: 'agentos' };

/** One recording with a tick for each reading; a null is a tick at which nothing was asked. */
function record(file: string, readings: readonly (AgentOsReading | null)[]): void {
  const writer = StoreWriter.open(file, facts);
  for (const [index, agentOs] of readings.entries()) {
    const events = index === 0 ? [guest, warning, lost] : [];
    writer.writeSample({ ...fakeSample({ second: index }), agentOs }, events);
  }
  writer.close(ended);
}

function readingsOf(file: string): (AgentOsReading | null | undefined)[] {
  using recording = openRecording(file);
  return [...recording.ticks()].map(({ agentOs }) => agentOs);
}

function formatOf(file: string): unknown {
  const db = openDatabase(file, { mode: 'read', busyTimeoutMs: 0 });
  const format = db.pragma('user_version', { simple: true });
  db.close();
  return format;
}

describe('a recording of a VM', () => {
  test('gives back what was told, and null where it was not', () => {
    using folder = temporaryFolder();
    const file = folder.file('vm.db');
    const unknown = Object.fromEntries(Object.keys(reading).map((name) => [name, null]));
    record(file, [reading, null, unknown as unknown as AgentOsReading]);
    expect(formatOf(file)).toBe(3);
    expect(readingsOf(file)).toEqual([reading, null, unknown]);
    using recording = openRecording(file);
    expect(recording.events()).toEqual([guest, warning, lost]);
    expect(recording.lastTick()?.agentOs?.processCount).toBeNull();
  });

  test('what happened after the last sample is told with it', () => {
    using folder = temporaryFolder();
    const file = folder.file('vm.db');
    const writer = StoreWriter.open(file, facts);
    writer.writeSample({ ...fakeSample({ second: 0 }), agentOs: reading }, [warning]);
    writer.close({ ...ended, events: [guest, lost] });
    using recording = openRecording(file);
    expect(recording.events()).toEqual([warning, guest, lost]);
  });

  test('any count comes back, memory within half a KiB', () => {
    using folder = temporaryFolder();
    const count = fc.integer({ min: 0, max: 2 ** 40 });
    let number = 0;
    fc.assert(
      fc.property(count, count, (processCount, sidecarRssBytes) => {
        const file = folder.file(`${number++}.db`);
        record(file, [{ ...reading, processCount, sidecarRssBytes }]);
        const [stored] = readingsOf(file);
        expect(stored?.processCount).toBe(processCount);
        expect(Math.abs((stored?.sidecarRssBytes ?? 0) - sidecarRssBytes)).toBeLessThanOrEqual(512);
      }),
      { numRuns: 10 },
    );
  });

  test('what is saved of a damaged one has its rows and its events', () => {
    using folder = temporaryFolder();
    const [file, saved] = [folder.file('vm.db'), folder.file('saved.db')];
    record(file, [reading, reading]);
    salvageFile(file, saved);
    expect(formatOf(saved)).toBe(3);
    expect(readingsOf(saved)).toEqual([reading, reading]);
  });

  test('a recording of a browser is of format 2, and knows of no VM', () => {
    using folder = temporaryFolder();
    const file = folder.file('browser.db');
    const writer = StoreWriter.open(file, syntheticFacts());
    writer.writeSample({ ...fakeSample({ second: 0 }), agentOs: reading }, []);
    writer.close(ended);
    expect(formatOf(file)).toBe(2);
    expect(readingsOf(file)).toEqual([undefined]);
  });

  test('a file of format 2 becomes one of format 3 when a VM is recorded into it', () => {
    using folder = temporaryFolder();
    const file = folder.file('a.db');
    const first = StoreWriter.open(file, syntheticFacts());
    first.writeSample(fakeSample({ second: 0 }), []);
    first.close(ended);
    const second = StoreWriter.open(file, facts, { resume: true });
    second.writeSample({ ...fakeSample({ second: 0 }), agentOs: reading }, []);
    second.close(ended);
    expect(formatOf(file)).toBe(3);
    expect(readingsOf(file)).toEqual([null, reading]);
  });

  test('loses its rows with the ticks that are thinned, and no event', () => {
    using folder = temporaryFolder();
    const file = folder.file('vm.db');
    const writer = StoreWriter.open(file, facts);
    for (let second = 0; second < 900; second += 10) {
      const sample = { ...fakeSample({ second, sequence: second / 10 + 1 }), agentOs: reading };
      writer.writeSample({ ...sample, intervalMs: 10_000 }, second === 0 ? [guest] : []);
    }
    writer.close(ended);
    const db = openDatabase(file, { mode: 'write', busyTimeoutMs: 0 });
    expect(new Retention(db, file, () => undefined).thin('spare')).toBe(true);
    const counts = ['tick', 'agentos_tick', 'event'].map((table) =>
      db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
    );
    db.close();
    // Of the six of the first minute the last one stays.
    expect(counts).toEqual([85, 85, 1]);
  });
});
