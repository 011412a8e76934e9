// The collector as a process of its own, without the store: the modules that were built, and the V8
// that src/cli/main.ts asks for.
//
//   node collector-loop.mjs DIST INTERVAL_MS PSS_CPU_SHARE
//
// At the end (SIGTERM) one line of JSON: what it read.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';

v8.setFlagsFromString('--lite-mode');

const [dist = 'dist', interval, pssCpuShare] = process.argv.slice(2);
/** @param {string} module */
const built = (module) => import(pathToFileURL(path.resolve(dist, 'collector', module)).href);

/** @type {typeof import('../../src/collector/sampler.ts')} */
const { Sampler, systemClock } = await built('sampler.js');
/** @type {typeof import('../../src/collector/recorder.ts')} */
const { Recorder, timerSleep } = await built('recorder.js');
/** @type {typeof import('../../src/collector/adaptive-pace.ts')} */
const { AdaptivePace } = await built('adaptive-pace.js');
/** @type {typeof import('../../src/collector/event-sources.ts')} */
const { kernelLogEvents, processExitEvents } = await built('event-sources.js');
/** @type {typeof import('../../src/collector/exits/exit-watcher.ts')} */
const { ExitWatcher } = await built('exits/exit-watcher.js');
/** @type {typeof import('../../src/collector/exits/process-exits.ts')} */
const { ProcessExits } = await built('exits/process-exits.js');
/** @type {typeof import('../../src/collector/kmsg/kmsg-reader.ts')} */
const { KmsgReader } = await built('kmsg/kmsg-reader.js');
/** @type {typeof import('../../src/collector/local-sources.ts')} */
const { localSources } = await built('local-sources.js');
/** @type {typeof import('../../src/collector/machine-facts.ts')} */
const { readKernelUnits } = await built('machine-facts.js');
/** @type {typeof import('../../src/collector/procfs/proc-fs.ts')} */
const { ProcFs } = await built('procfs/proc-fs.js');

const intervalMs = Number(interval);
const units = readKernelUnits(new ProcFs());
const sampler = new Sampler({
  ...localSources({ rootPid: null, cgroup: null }, units),
  pssCpuShare: Number(pssCpuShare),
});
const pace = new AdaptivePace({
  intervalMs,
  readMemory: () => sampler.readMemory(),
  monotonicMs: systemClock.monotonicMs,
});
const told = { ticks: 0, processes: 0, chromium: 0, pssReadings: 0 };
const recorder = new Recorder({
  take: (schedule) => sampler.take(schedule),
  sources: [
    kernelLogEvents(new KmsgReader({ startedMonotonicMs: systemClock.monotonicMs(), ...units })),
    processExitEvents(new ProcessExits(ExitWatcher.start(), systemClock)),
  ],
  // Works out its pace and does not follow it: the others do not change theirs either.
  pace: {
    next: (sample) => ({ ...pace.next(sample), intervalMs }),
    peekEveryMs: () => pace.peekEveryMs(),
    isUrgent: () => pace.isUrgent() && false,
  },
  clock: systemClock,
  intervalMs,
  durationMs: null,
  firstSequence: 1,
  write: ({ processes, browser }) => {
    told.ticks++;
    told.processes = processes.length;
    told.chromium = browser.processCount;
    for (const { pssBytes } of processes) if (pssBytes !== null) told.pssReadings++;
  },
  sleep: timerSleep,
});
process.on('SIGTERM', () => recorder.stop('signal'));
await recorder.run();
sampler.close();
console.log(JSON.stringify(told));
