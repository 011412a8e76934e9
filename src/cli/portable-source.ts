import os from 'node:os';
import { processExitEvents } from '../collector/event-sources.ts';
import { ProcessExits } from '../collector/exits/process-exits.ts';
import {
  type CommandOptions,
  portableTicksPerSecond,
} from '../collector/portable/portable-process.ts';
import { openPortableSource, takePortableSample } from '../collector/portable/portable-source.ts';
import { systemClock } from '../collector/sampler.ts';
import type { SessionSource } from './record-session.ts';

/** The session through systeminformation and pidusage: no PSS, no pressure, no OOM kills. */
export async function portableSource(options: CommandOptions): Promise<SessionSource> {
  const source = await openPortableSource(options);
  return {
    machine: {
      bootId: null,
      kernel: os.release(),
      hostName: os.hostname(),
      cpuCount: os.cpus().length,
      memoryTotalBytes: os.totalmem(),
      limitBytes: os.totalmem(),
      limitSource: 'machine',
      browserVersion: null,
      sampleSource: 'portable',
      clockTicksPerSecond: portableTicksPerSecond,
      pageSizeBytes: 4096,
    },
    take: (schedule) => takePortableSample(source, schedule),
    // Reading through the libraries takes as long as a sample: there is no look in between.
    readMemory: null,
    events: [processExitEvents(new ProcessExits(null, systemClock))],
    suspendedMs: () => null,
    // The libraries start processes at every sample, which would inherit it.
    protectSelf: () => null,
    // Parents are known here too, but a browser is seldom still a child of what started it.
    followCommand: () => undefined,
    startTicksOf: () => null,
    close: () => source.libraries.close(),
  };
}
