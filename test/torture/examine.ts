import { isDeepStrictEqual } from 'node:util';
import { HeadroomError } from '../../src/model/errors.ts';
import { weightMs } from '../../src/model/gap.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { Sample } from '../../src/model/sample.ts';
import type { Tick } from '../../src/model/session-memory.ts';
import { openRecording } from '../../src/store/reader.ts';
import type { ProblemCode } from '../../src/store/verify/verification.ts';
import { verifyFile } from '../../src/store/verify/verify-file.ts';
import { syntheticEvents, syntheticSamples } from '../support/synthetic-session.ts';

/** The session that was recorded, and from which of its ticks on each run of a recorder did. */
export interface Expected {
  seed: number;
  processCount: number;
  runs: readonly Run[];
}

export interface Run {
  skippedTicks: number;
  /** Sequence number of the last tick in the file when it began. */
  sequenceBase: number;
}

export interface Examination {
  /** Those of a full disk's file that were thinned out to make room are among them. */
  tickCount: number;
  lastSequence: number;
  /** Ticks of which a part is missing, or is not what was recorded. */
  partialCount: number;
  /** What else is wrong: the file does not open, it is damaged, its percentiles do not fit. */
  problem: string | null;
}

/**
 * Holds a file against the session that was recorded into it: each tick with its processes and its
 * events, the percentiles, and what `headroom verify` finds.
 */
export function examine(file: string, expected: Expected): Examination {
  const nothing = { tickCount: 0, lastSequence: 0, partialCount: 0 };
  try {
    using recording = openRecording(file);
    const ticks = [...recording.ticks()];
    const stretches = recording.resolutions();
    const first = stretches.find(({ resolution }) => resolution === 'ticks')?.firstSequence ?? 0;
    return {
      tickCount: stretches.reduce((sum, { sampleCount }) => sum + sampleCount, 0),
      lastSequence: ticks.at(-1)?.sequence ?? 0,
      partialCount: partialCount(
        recording,
        ticks.filter(({ sequence }) => sequence >= first),
        expected,
      ),
      problem: weightProblem(recording, ticks, first) ?? damage(file),
    };
  } catch (error) {
    if (!(error instanceof HeadroomError)) throw error;
    // A recorder that was killed before it had made the file has recorded nothing.
    const isNew = expected.runs.every(({ sequenceBase }) => sequenceBase === 0);
    if (isNew && nothingYet.has(error.code)) return { ...nothing, problem: null };
    return { ...nothing, problem: `${error.code}: ${error.message}` };
  }
}

const nothingYet = new Set<string>(['FILE_NOT_FOUND', 'FILE_EMPTY', 'FILE_NOT_A_RECORDING']);

function partialCount(recording: Recording, ticks: readonly Tick[], expected: Expected): number {
  const samples = samplesByTick(ticks, expected);
  const pssByTime = new Map<number, number[]>();
  for (const { timeUnixMs, pssBytes } of recording.processSamples()) {
    if (pssBytes === null) continue;
    pssByTime.set(timeUnixMs, [...(pssByTime.get(timeUnixMs) ?? []), pssBytes]);
  }
  const notes = new Set<string>();
  for (const event of recording.events()) {
    if (event.kind === 'note') notes.add(event.message);
  }
  return ticks.filter((tick, at) => {
    const sample = samples[at];
    if (sample === undefined) return true;
    const { processes, unreadable: _, ...figures } = sample;
    // The generator reads the PSS of one process a tick, and such a row is always stored.
    const pss = processes.flatMap(({ pssBytes }) => pssBytes ?? []);
    return !(
      isDeepStrictEqual(tick, { ...figures, sequence: tick.sequence }) &&
      isDeepStrictEqual(pssByTime.get(tick.timeUnixMs), pss) &&
      syntheticEvents(sample).every(({ message }) => notes.has(message))
    );
  }).length;
}

/** What each tick was made from; undefined where there is no such sample. */
function samplesByTick(ticks: readonly Tick[], expected: Expected): (Sample | undefined)[] {
  const { seed, processCount, runs } = expected;
  const wanted = ticks.map(({ sequence }) => {
    const run = runs.findLast(({ sequenceBase }) => sequenceBase < sequence);
    return run === undefined ? 0 : run.skippedTicks + sequence - run.sequenceBase;
  });
  const tickCount = Math.max(0, ...wanted);
  const places = new Set(wanted);
  const samples = new Map<number, Sample>();
  for (const sample of syntheticSamples({ seed, processCount, tickCount })) {
    if (places.has(sample.sequence)) samples.set(sample.sequence, sample);
  }
  return wanted.map((place) => samples.get(place));
}

/** Null when `headroom verify` has nothing to say but what a kill explains. */
function damage(file: string): string | null {
  const problems = verifyFile(file).problems.filter(({ code }) => !leftByKill.has(code));
  return problems.length === 0 ? null : problems.map(({ message }) => message).join('; ');
}

const leftByKill = new Set<ProblemCode>(['log_unfinished', 'log_empty']);

/**
 * The percentiles have to stand for the very ticks that are there. Of what was thinned the last tick
 * of a minute is left, so the first one behind it still has the weight that it had.
 */
function weightProblem(
  recording: Recording,
  ticks: readonly Tick[],
  firstSequence: number,
): string | null {
  let fromUnixMs: number | undefined;
  let inTicks = 0;
  for (const [at, tick] of ticks.entries()) {
    if (tick.sequence < firstSequence) continue;
    fromUnixMs ??= tick.timeUnixMs;
    inTicks += weightMs(ticks[at - 1] ?? null, tick, tick.intervalMs);
  }
  const series = { scope: 'session', metric: 'working_set' } as const;
  const range = firstSequence === 0 || fromUnixMs === undefined ? {} : { fromUnixMs };
  const inSketch = recording.distribution(series, range)?.count ?? 0;
  return inSketch === inTicks ? null : `percentiles of ${inSketch} ms, ticks of ${inTicks} ms`;
}
