import { garbageCollector } from './garbage-collector.ts';

const everySamples = 100;
// The first time soon: what starting up left behind is as much again as what stays.
const firstSample = 10;

/**
 * Collects the recorder's garbage every hundred samples. Left alone, V8 lets a heap of 6 MiB grow by
 * half as much again before it tidies up, which is cheap for a server and dear in a VM of 1 GiB.
 * Measured at ten samples a second, processes coming and going: 15 MiB of anonymous memory instead
 * of 14 to 22, for the same CPU time.
 */
export function heapTidier(): () => void {
  const collect = garbageCollector();
  let samples = 0;
  return () => {
    samples++;
    if (samples % everySamples === firstSample) collect();
  };
}
