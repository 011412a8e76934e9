import { renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  type CollectorRequest,
  type CollectorState,
  heartbeatMs,
} from '../../attach/collector-state.ts';
import { collectorFiles } from '../../attach/session-scripts.ts';
import { systemClock } from '../../collector/sampler.ts';
import { readEarlierRun } from '../../store/earlier-run.ts';
import { StoreWriter } from '../../store/writer.ts';
import { heapTidier } from '../heap-tidier.ts';
import {
  createRecorder,
  noteProtection,
  openLocalSource,
  sessionFacts,
} from '../record-session.ts';

/**
 * Records the session that this process runs in, until TERM, into the file of its folder. One that is
 * there is continued: a collector that was killed has lost no tick that was written. FILE_IN_USE while
 * another collector writes it: the file is the lock.
 */
export async function collect(folder: string, request: CollectorRequest): Promise<void> {
  const files = collectorFiles(folder);
  const bootedUnixMs = Date.now() - os.uptime() * 1000;
  const source = openLocalSource(
    { rootPid: request.browserPid ?? null, storesCommands: true, cgroup: null },
    readEarlierRun(files.recording, bootedUnixMs),
  );
  const facts = { ...sessionFacts(request, source.machine), source: request.source };
  const writer = StoreWriter.open(files.recording, facts, { resume: true });
  writeWhole(files.pid, `${process.pid}\n`);
  // In the smallest sessions a MiB is worth more than a millisecond a second.
  const tidyHeap = heapTidier({ youngToo: true });
  let lastTold = Number.NEGATIVE_INFINITY;
  const tell = (isOver: boolean) => {
    lastTold = systemClock.monotonicMs();
    const { pid } = process;
    const sampleCount = writer.writtenCount;
    const state: CollectorState = { pid, sampleCount, lastUnixMs: Date.now(), isOver };
    writeWhole(files.state, JSON.stringify(state));
  };
  const options = { intervalMs: request.intervalMs, durationMs: null };
  const recorder = createRecorder(options, { source, beside: [] }, (sample, events) => {
    writer.writeSample(sample, events);
    if (systemClock.monotonicMs() - lastTold >= heartbeatMs) tell(false);
    tidyHeap();
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => recorder.stop('signal'));
  }
  process.on('SIGHUP', () => undefined);
  noteProtection(recorder, source);
  const endReason = await recorder.run().finally(() => source.close());
  writer.close({ endedUnixMs: Date.now(), endReason });
  tell(true);
}

function writeWhole(file: string, content: string): void {
  const part = path.join(path.dirname(file), `.${path.basename(file)}.part`);
  writeFileSync(part, content);
  renameSync(part, file);
}
