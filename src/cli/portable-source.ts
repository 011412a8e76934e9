import os from 'node:os';
import { portableTicksPerSecond } from '../collector/portable/portable-process.ts';
import { openPortableSource, takePortableSample } from '../collector/portable/portable-source.ts';
import type { SessionSource } from './record-session.ts';

/** The session through systeminformation and pidusage: no PSS, no pressure, no OOM kills. */
export async function portableSource(): Promise<SessionSource> {
  const source = await openPortableSource();
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
    startTicksOf: () => null,
    close: () => source.libraries.close(),
  };
}
