import type { ProcessExit, RecordingEvent } from '../../src/model/event.ts';
import { weightMs } from '../../src/model/gap.ts';
import type {
  ProcessRecord,
  ProcessSample,
  Recording,
  ResolutionStretch,
  StoredEvent,
} from '../../src/model/recording.ts';
import type { ProcessReading, Sample } from '../../src/model/sample.ts';
import type { Series } from '../../src/model/series.ts';
import type { SessionFacts } from '../../src/model/session.ts';
import {
  availableBytes,
  type Tick,
  utilizationRatio,
  workingSetBytes,
} from '../../src/model/session-memory.ts';
import { Sketch } from '../../src/model/sketch.ts';
import type { TimeRange } from '../../src/model/time-range.ts';
import { fakeFacts } from './fake-sample.ts';

export interface FakeRecordingParts {
  samples: readonly Sample[];
  events?: readonly RecordingEvent[];
  facts?: Partial<SessionFacts>;
  isLive?: boolean;
}

/**
 * A recording in memory, made from samples as the store would: one row per process and sample, and
 * percentiles that are exact, so that a test can state by hand what must come out.
 */
export function fakeRecording(parts: FakeRecordingParts): Recording {
  const { samples, events = [] } = parts;
  const ticks = samples.map(toTick);
  const inRange = (timeUnixMs: number, range: TimeRange = {}) =>
    timeUnixMs >= (range.fromUnixMs ?? Number.NEGATIVE_INFINITY) &&
    timeUnixMs <= (range.toUnixMs ?? Number.POSITIVE_INFINITY);
  const ticksIn = (range?: TimeRange) => ticks.filter((tick) => inRange(tick.timeUnixMs, range));
  const records = processRecords(samples, events);
  return {
    path: 'fake.db',
    facts: fakeFacts(parts.facts),
    isLive: parts.isLive ?? false,
    ticks: (range) => ticksIn(range).values(),
    briefTicks: (range) => ticksIn(range).values(),
    tickCount: (range) => ticksIn(range).length,
    firstTick: () => ticks[0] ?? null,
    lastTick: () => ticks.at(-1) ?? null,
    processes: () => records,
    browserProcesses: (from = Number.NEGATIVE_INFINITY) =>
      records.filter(
        ({ browserPid, endedUnixMs }) =>
          browserPid !== null && (endedUnixMs === null || endedUnixMs >= from),
      ),
    processSamples: (range, process) =>
      samples
        .flatMap((sample) => processSamples(sample, records))
        .filter((row) => inRange(row.timeUnixMs, range))
        .filter((row) => process === undefined || row.process === process)
        .values(),
    lastProcessSamples: () => {
      const rows = samples.flatMap((sample) => processSamples(sample, records));
      const last = new Map(rows.map((row) => [row.process, row] as const));
      return [...last.values()].sort((a, b) => a.process - b.process);
    },
    events: (range) => events.filter((event) => inRange(event.timeUnixMs ?? 0, range)),
    storedEvents: (afterRow, limit) =>
      storedEvents(parts, records).slice(afterRow, afterRow + limit),
    resolutions: (range) => resolutionsOf(ticksIn(range)),
    series: () => [],
    distribution: (series, range) =>
      distribution(
        samples.filter((sample) => inRange(sample.timeUnixMs, range)),
        series,
      ),
    windows: () => [],
    highWater: () => {
      throw new Error('only a file has high-water marks: use recordSamples');
    },
    gist: () => {
      throw new Error('only a file has its gist: use recordSamples');
    },
    worstMinutes: () => {
      throw new Error('only a file has its minutes: use recordSamples');
    },
    workingSetSamples: () => {
      throw new Error('only a file has its places: use recordSamples');
    },
    timeline: notMade,
    roleTimeline: notMade,
    pictures: notMade,
    processTimeline: notMade,
    close: () => undefined,
    [Symbol.dispose]: () => undefined,
  };
}

function notMade(): never {
  throw new Error('a fake recording makes no pictures');
}

// Written with the first sample that is not before them.
function storedEvents(
  { samples, events = [] }: FakeRecordingParts,
  records: readonly ProcessRecord[],
): StoredEvent[] {
  return events.map((event, index) => {
    const { timeUnixMs } = event;
    const tick = samples.find((sample) => timeUnixMs === null || sample.timeUnixMs >= timeUnixMs);
    const pid = 'pid' in event ? event.pid : null;
    const process = records.find((record) => record.pid === pid) ?? null;
    const tickUnixMs = tick?.timeUnixMs ?? samples.at(-1)?.timeUnixMs ?? 0;
    return { row: index + 1, tickUnixMs, event, process };
  });
}

/** Nothing is thinned in a file that is not there. */
function resolutionsOf(ticks: readonly Tick[]): ResolutionStretch[] {
  const times = ticks.map(({ timeUnixMs }) => timeUnixMs);
  if (times.length === 0) return [];
  return [
    {
      resolution: 'ticks',
      fromUnixMs: Math.min(...times),
      toUnixMs: Math.max(...times),
      firstSequence: 0,
      sampleCount: times.length,
      lostCount: 0,
    },
  ];
}

/** Nearest rank by weight over the very values, where the real one knows them to 1.1 %. */
class ExactSketch extends Sketch {
  readonly #values: { value: number; weight: number }[] = [];

  override add(value: number, weight = 1): void {
    super.add(value, weight);
    this.#values.push({ value, weight });
    this.#values.sort((a, b) => a.value - b.value);
  }

  override quantile(q: number): number | null {
    let left = Math.max(1, Math.ceil(q * this.count));
    for (const { value, weight } of this.#values) {
      left -= weight;
      if (left <= 0) return value;
    }
    return this.max;
  }
}

function distribution(samples: readonly Sample[], series: Series): Sketch | null {
  const sketch = new ExactSketch();
  samples.forEach((sample, index) => {
    const value = figure(sample, series);
    const weight = weightMs(samples[index - 1] ?? null, sample, sample.intervalMs);
    if (value !== null) sketch.add(value, weight);
  });
  return sketch.count === 0 ? null : sketch;
}

function figure(sample: Sample, { scope, metric }: Series): number | null {
  const members = sample.processes.filter(
    (process) => process.role === scope && process.browserPid !== null && process.state !== 'Z',
  );
  switch (metric) {
    case 'working_set':
      return workingSetBytes(sample);
    case 'available':
      return availableBytes(sample);
    case 'utilization':
      return utilizationRatio(sample);
    case 'browser_unreclaimable':
      return sample.browser.unreclaimableBytes;
    case 'browser_pss':
      return sample.browser.pssEstimatedBytes;
    case 'browser_rss_sum':
      return sample.browser.rssSumBytes;
    case 'pss':
      return sum(members.map((process) => process.pssEstimatedBytes));
    case 'rss':
      return sum(members.map((process) => process.rssBytes));
    case 'processes':
      return members.length;
  }
}

function processRecords(
  samples: readonly Sample[],
  events: readonly RecordingEvent[],
): ProcessRecord[] {
  const records = new Map<string, ProcessRecord>();
  samples.forEach((sample, index) => {
    const next = samples[index + 1];
    for (const reading of sample.processes) {
      const key = processKeyText(reading);
      const isGone = next?.processes.every((other) => processKeyText(other) !== key) ?? false;
      const exit = exitOf(reading, events);
      const known = records.get(key);
      records.set(key, {
        process: known?.process ?? records.size + 1,
        pid: reading.pid,
        startTicks: reading.startTicks,
        parentPid: reading.parentPid,
        comm: reading.comm,
        executable: reading.executable,
        role: reading.role,
        browserPid: reading.browserPid,
        firstUnixMs: known?.firstUnixMs ?? sample.timeUnixMs,
        lastUnixMs: sample.timeUnixMs,
        endedUnixMs: exit?.timeUnixMs ?? (isGone ? (next?.timeUnixMs ?? null) : null),
        exitCode: exit?.exitCode ?? null,
        signal: exit?.signal ?? null,
        peakRssBytes: larger(known?.peakRssBytes, reading.peakRssBytes ?? reading.rssBytes),
        peakPssBytes: larger(known?.peakPssBytes, reading.pssBytes),
        firstCpuMs: known?.firstCpuMs ?? reading.cpuMs,
        lastCpuMs: reading.cpuMs,
        command: reading.command,
        oomScoreAdj: reading.oomScoreAdj,
        cgroup: reading.cgroup,
        descriptorCount: reading.descriptorCount,
        readBytes: reading.readBytes,
        writtenBytes: reading.writtenBytes,
      });
    }
  });
  return [...records.values()];
}

// What the parent was told is worth more than that it vanished.
function exitOf(reading: ProcessReading, events: readonly RecordingEvent[]): ProcessExit | null {
  const exits = events
    .filter((event) => event.kind === 'process_exit')
    .filter(({ pid, startTicks }) => pid === reading.pid && startTicks === reading.startTicks);
  return exits.find(({ source }) => source === 'parent') ?? exits[0] ?? null;
}

function processSamples(sample: Sample, records: readonly ProcessRecord[]): ProcessSample[] {
  return sample.processes.map((reading) => ({
    process: rowOf(reading, records),
    timeUnixMs: sample.timeUnixMs,
    rssBytes: reading.rssBytes,
    anonBytes: reading.anonBytes,
    shmemBytes: reading.shmemBytes,
    swapBytes: reading.swapBytes,
    pssBytes: reading.pssBytes,
    pssAnonBytes: reading.pssAnonBytes,
    pssShmemBytes: reading.pssShmemBytes,
    cpuMs: reading.cpuMs,
    threadCount: reading.threadCount,
    majorFaultCount: reading.majorFaultCount,
    state: reading.state,
  }));
}

function rowOf(reading: ProcessReading, records: readonly ProcessRecord[]): number {
  const key = processKeyText(reading);
  return records.find((record) => processKeyText(record) === key)?.process ?? 0;
}

function toTick({ processes: _processes, unreadable: _unreadable, ...tick }: Sample): Tick {
  return tick;
}

function sum(values: readonly (number | null)[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((total, value) => (total === null || value === null ? null : total + value));
}

function larger(a: number | null | undefined, b: number | null): number | null {
  if (a === null || a === undefined) return b;
  return b === null ? a : Math.max(a, b);
}

function processKeyText(process: { pid: number; startTicks: number }): string {
  return `${process.pid}:${process.startTicks}`;
}
