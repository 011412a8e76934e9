import { describe, expect, test } from 'vitest';
import type { Gap } from '../../src/model/event.ts';
import { openRecording } from '../../src/store/reader.ts';
import { thisRecorder } from '../../src/store/recorder-lock.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { recordSamples, running } from '../support/record-samples.ts';

describe('a recording that goes on', () => {
  const restart = (fromSecond: number, toSecond: number): Gap => ({
    kind: 'gap',
    gap: 'restart',
    fromUnixMs: startUnixMs + fromSecond * 1000,
    toUnixMs: startUnixMs + toSecond * 1000,
    timeUnixMs: startUnixMs + toSecond * 1000,
    wallMs: (toSecond - fromSecond) * 1000,
    monotonicMs: (toSecond - fromSecond) * 1000,
  });

  test('has one row of numbers, the gap between the runs, and every minute once', () => {
    using folder = temporaryFolder();
    const seconds = [0, 1, 2, 3, 10, 11, 70];
    const sampleAt = (second: number, at: number) =>
      fakeSample({
        second,
        sequence: (at % 4) + 1,
        browser: { pssEstimatedBytes: (at + 1) * mib },
        processes: [
          fakeProcess({ pid: 100, role: 'browser', pssBytes: (at + 1) * mib, anonBytes: 0 }),
        ],
      });
    const samples = seconds.map(sampleAt);
    recordSamples(folder.file('a.db'), samples.slice(0, 4));
    recordSamples(folder.file('a.db'), samples.slice(4));
    using recording = openRecording(folder.file('a.db'));
    expect([...recording.ticks()].map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(recording.events()).toEqual([restart(3, 10)]);
    expect(recording.processes()).toHaveLength(1);
    for (const scope of ['session', 'browser'] as const) {
      const metric = scope === 'session' ? 'browser_pss' : 'pss';
      const sketch = recording.distribution({ scope, metric });
      expect([sketch?.count, sketch?.min, sketch?.max]).toEqual([7000, mib, 7 * mib]);
      expect(sketch?.sum).toBe((1 + 2 + 3 + 4 + 5 + 6 + 7) * mib * 1000);
    }
  });

  test('after a kill counts the ticks of the minute that was open', () => {
    using folder = temporaryFolder();
    const recorder = { ...thisRecorder(), pid: 2 ** 22 + 1 };
    const process = (pss: number) =>
      fakeProcess({ pid: 100, role: 'browser', pssBytes: pss * mib, anonBytes: pss * mib });
    const first = StoreWriter.open(folder.file('a.db'), running, { recorder });
    for (const second of [0, 1, 2]) {
      first.writeSample(fakeSample({ second, processes: [process(10)] }), []);
    }
    const samples = [3, 4, 61].map((second, at) =>
      fakeSample({ second, sequence: at + 1, processes: [process(20)] }),
    );
    recordSamples(folder.file('a.db'), samples);
    using recording = openRecording(folder.file('a.db'));
    const minute = { fromUnixMs: startUnixMs, toUnixMs: startUnixMs + 59_999 };
    const sketch = recording.distribution({ scope: 'browser', metric: 'pss' }, minute);
    expect([sketch?.count, sketch?.sum]).toEqual([5000, (3 * 10 + 2 * 20) * mib * 1000]);
  });

  test('after a reboot knows that nothing of before is there any more', () => {
    using folder = temporaryFolder();
    const samples = [0, 1].map((second) =>
      fakeSample({ second, processes: [fakeProcess({ pid: 100, role: 'browser' })] }),
    );
    recordSamples(folder.file('a.db'), samples);
    const machine = { ...running.machine, bootId: 'b0000000-0000-4000-8000-000000000002' };
    const again = fakeSample({
      second: 100,
      sequence: 1,
      monotonicMs: 20,
      processes: [fakeProcess({ pid: 100, role: 'browser' })],
    });
    recordSamples(folder.file('a.db'), [again], { facts: { ...running, machine } });
    using recording = openRecording(folder.file('a.db'));
    expect(
      recording.processes().map(({ lastUnixMs, endedUnixMs }) => [lastUnixMs, endedUnixMs]),
    ).toEqual([
      [startUnixMs + 1000, null],
      [startUnixMs + 100_000, null],
    ]);
    expect(recording.facts.machine.bootId).toBe(machine.bootId);
    expect(recording.events()).toMatchObject([{ kind: 'gap', gap: 'restart' }]);
  });

  test('of another session keeps its identity and its start', () => {
    using folder = temporaryFolder();
    recordSamples(folder.file('a.db'), [fakeSample({ second: 0 })]);
    const facts = { ...running, id: 'another', startedUnixMs: startUnixMs + 30_000 };
    recordSamples(folder.file('a.db'), [fakeSample({ second: 30, sequence: 1 })], {
      facts,
      resume: true,
    });
    using recording = openRecording(folder.file('a.db'));
    expect(recording.facts).toMatchObject({ id: running.id, startedUnixMs: startUnixMs });
    expect(recording.tickCount()).toBe(2);
  });
});

test('the clock going back to a minute that is closed adds to that minute', () => {
  using folder = temporaryFolder();
  const times = [0, 1, 60, 61, 2, 3, 62];
  const samples = times.map((second, at) =>
    fakeSample({
      second: at,
      timeUnixMs: startUnixMs + second * 1000,
      browser: { pssEstimatedBytes: (at + 1) * mib },
    }),
  );
  recordSamples(folder.file('a.db'), samples);
  using recording = openRecording(folder.file('a.db'));
  const series = { scope: 'session', metric: 'browser_pss' } as const;
  expect(recording.distribution(series)?.sum).toBe(28 * mib * 1000);
  const minute = { fromUnixMs: startUnixMs, toUnixMs: startUnixMs + 59_999 };
  expect(recording.distribution(series, minute)?.sum).toBe((1 + 2 + 5 + 6) * mib * 1000);
  expect([...recording.ticks(minute)].map(({ sequence }) => sequence)).toEqual([1, 2, 5, 6]);
  expect(recording.tickCount(minute)).toBe(4);
});
