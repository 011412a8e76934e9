import type { EndReason } from '../../src/model/session.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import {
  fakeFacts,
  fakeMachineFacts,
  fakeOomKill,
  fakeProcess,
  fakeSample,
  mib,
  startUnixMs,
} from './fake-sample.ts';

export interface FleetRecordingParts {
  id: string;
  labels?: Readonly<Record<string, string>>;
  /** Working set of each second. */
  usedMib: readonly number[];
  /** The kernel ended the browser with the last sample, for want of memory on the machine. */
  isKilled?: boolean;
  /** Since {@link startUnixMs}. */
  startHour?: number;
  endReason?: EndReason;
  /** MemTotal; default: {@link fleetMachineMib}. */
  machineMib?: number;
}

/** MemTotal, as of a machine that is sold as 1 GiB. */
export const fleetMachineMib = 978;

/** A recording of a session on a machine of 978 MiB or another size, a sample a second; ended in order. */
export function fleetRecording(file: string, parts: FleetRecordingParts): void {
  const { id, labels = {}, usedMib, isKilled = false, startHour = 0 } = parts;
  const { endReason = 'signal', machineMib = fleetMachineMib } = parts;
  const startedUnixMs = startUnixMs + startHour * 3_600_000;
  const machine = fakeMachineFacts({ limitBytes: machineMib * mib, limitSource: 'machine' });
  const began = { startedUnixMs, endedUnixMs: null, endReason: null };
  const facts = fakeFacts({ id, labels, machine, ...began });
  const writer = StoreWriter.open(file, facts);
  usedMib.forEach((used, index) => {
    const sample = fakeSample({
      second: startHour * 3600 + index,
      sequence: index + 1,
      machine: {
        totalBytes: machineMib * mib,
        freeBytes: (machineMib - used) * mib,
        availableBytes: (machineMib - used) * mib,
        inactiveFileBytes: 0,
        swapTotalBytes: 0,
      },
      processes: [fakeProcess({ pid: 100, role: 'browser', rssBytes: used * mib })],
    });
    const isLast = index === usedMib.length - 1;
    const { timeUnixMs } = sample;
    const kill = fakeOomKill({ pid: 100, comm: 'chromium', scope: 'machine', timeUnixMs });
    writer.writeSample(sample, isKilled && isLast ? [kill] : []);
  });
  writer.close({ endedUnixMs: startedUnixMs + usedMib.length * 1000, endReason });
}
