// The collector as a process of its own, without the store: the modules that were built, wired as
// `headroom record` wires them, with the V8 that it asks for.
//
//   node collector-loop.mjs DIST INTERVAL_MS PSS_CPU_SHARE
//
// At the end (SIGTERM) one line of JSON: what it read.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';

const [dist = 'dist', interval, pssCpuShare] = process.argv.slice(2);
/** @param {string} module */
const built = (module) => import(pathToFileURL(path.resolve(dist, 'cli', module)).href);

// As src/cli/headroom.cts does.
v8.setFlagsFromString('--lite-mode');
v8.setFlagsFromString('--semi-space-growth-factor=1');
v8.setFlagsFromString('--bytecode-old-age=1');
/** @type {typeof import('../../src/cli/record-session.ts')} */
const { createRecorder, openLocalSource } = await built('record-session.js');
/** @type {typeof import('../../src/cli/heap-tidier.ts')} */
const { heapTidier } = await built('heap-tidier.js');

const intervalMs = Number(interval);
const source = openLocalSource({
  rootPid: null,
  cgroup: null,
  pssCpuShare: Number(pssCpuShare),
});
const tidyHeap = heapTidier();
const told = { ticks: 0, processes: 0, chromium: 0, pssReadings: 0 };
const recorder = createRecorder(
  {
    intervalMs,
    durationMs: null,
    // Works out its pace and does not follow it: the others do not change theirs either.
    paceFrom: (adaptive) => ({
      next: (sample) => ({ ...adaptive.next(sample), intervalMs }),
      peekEveryMs: () => adaptive.peekEveryMs(),
      isUrgent: () => adaptive.isUrgent() && false,
    }),
  },
  { source, beside: [] },
  ({ processes, browser }) => {
    told.ticks++;
    told.processes = processes.length;
    told.chromium = browser.processCount;
    for (const { pssBytes } of processes) if (pssBytes !== null) told.pssReadings++;
    tidyHeap();
  },
);
process.on('SIGTERM', () => recorder.stop('signal'));
await recorder.run();
source.close();
console.log(JSON.stringify(told));
