import { afterAll, expect, test } from 'vitest';
import { fleetSessionOf } from '../../src/analysis/fleet/fleet-session.ts';
import { analyse } from '../../src/analysis/session-report.ts';
import { sessionDemand } from '../../src/analysis/sizing/session-demand.ts';
import type { RecordingEvent } from '../../src/model/event.ts';
import type { Sample } from '../../src/model/sample.ts';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { fakeSample, mib, startUnixMs } from '../support/fake-sample.ts';
import { temporaryFolder } from '../support/headroom-cli.ts';
import { ended, running } from '../support/record-samples.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const machine = {
  totalBytes: 8_000 * mib,
  freeBytes: 5_000 * mib,
  availableBytes: 6_000 * mib,
  inactiveFileBytes: 0,
};
const foundSecond = 5;

/** Of a machine with 3,000 MiB in use, and after some seconds of a cgroup of 500 MiB with 100 to 200 in use. */
function sampleAt(second: number): Sample {
  if (second < foundSecond) {
    const pressure = { memorySomeMs: 900_000, memoryFullMs: 100_000 };
    return fakeSample({ second, machine, pressure, cgroup: { peakBytes: 50 * mib } });
  }
  const usedMib = second < 30 ? 100 : 200;
  return fakeSample({
    second,
    machine,
    // Of the cgroup from here on, and as it happens further on than the machine's.
    pressure: { memorySomeMs: 990_000, memoryFullMs: 150_000 },
    cgroup: {
      version: 2,
      path: '/x',
      limitBytes: 500 * mib,
      chargedBytes: usedMib * mib,
      inactiveFileBytes: 0,
      peakBytes: 200 * mib,
    },
  });
}

function recordMove(name: string, seconds: number, code: 'cgroup_found' | 'cgroup_moved'): string {
  const file = folder.file(name);
  const writer = StoreWriter.open(file, running);
  for (let second = 0; second < seconds; second++) {
    const sample = sampleAt(second);
    const { timeUnixMs } = sample;
    const move: RecordingEvent = { kind: 'note', timeUnixMs, code, message: 'lives in /x' };
    const limit: RecordingEvent = {
      kind: 'limit_change',
      timeUnixMs,
      fromBytes: machine.totalBytes,
      toBytes: 500 * mib,
    };
    writer.writeSample(sample, second === foundSecond ? [limit, move] : []);
  }
  writer.close(ended);
  return file;
}

// Less than a minute, which is all loose; some minutes in rollups.
test.each([40, 200])(
  '%i s: memory is that of the cgroup that was found, and of no other',
  (seconds) => {
    const file = recordMove(`${seconds}.db`, seconds, 'cgroup_found');
    const { memory, pressure, verdict } = analyse(file);
    expect(memory).toMatchObject({
      limitBytes: 500 * mib,
      limitSource: 'cgroup_v2',
      headroomMinBytes: 300 * mib,
      availableBytes: { min: 300 * mib },
      // Its mark stood there when it was found.
      peakBytes: { value: 200 * mib, beforeStart: true },
    });
    expect(memory.workingSetBytes.max).toBe(200 * mib);
    expect(pressure).toMatchObject({ memoryFullMs: 0, memorySomeMs: 0 });
    expect(verdict.kind).toBe('healthy');

    using recording = openRecording(file);
    expect(recording.highWater()).toMatchObject({
      sinceUnixMs: startUnixMs + foundSecond * 1000,
      workingSetBytes: 200 * mib,
      availableBytes: 300 * mib,
      kernelMark: null,
      limitBytes: 500 * mib,
    });
    const demanded = { demandBytes: 200 * mib, limitBytes: 500 * mib, isCensored: false };
    expect(sessionDemand(recording)).toMatchObject(demanded);
    const session = fleetSessionOf(recording);
    expect(session).toMatchObject({ ...demanded, tier: '500MiB', oomKillCount: 0 });
    expect(session?.workingSetBytes.max).toBe(200 * mib);
  },
);

test('where it had lived in the other one, that counts; its waiting is not compared', () => {
  const file = recordMove('moved.db', 40, 'cgroup_moved');
  const { memory, pressure } = analyse(file);
  expect(memory).toMatchObject({ limitBytes: 500 * mib, headroomMinBytes: 300 * mib });
  expect(memory.workingSetBytes.max).toBe(3_000 * mib);
  expect(pressure).toMatchObject({ memoryFullMs: 0, memorySomeMs: 0 });
});

test('a part of the recording that begins later is what it is', () => {
  const file = recordMove('part.db', 40, 'cgroup_found');
  const { memory } = analyse(file, {
    fromUnixMs: startUnixMs + 10_000,
    toUnixMs: startUnixMs + 25_000,
  });
  expect(memory.workingSetBytes.max).toBe(100 * mib);
});
