import { isDeepStrictEqual } from 'node:util';
import { HeadroomError } from '../../src/model/errors.ts';
import { weightMs } from '../../src/model/gap.ts';
import type { Recording, ResolutionStretch } from '../../src/model/recording.ts';
import type { Sample } from '../../src/model/sample.ts';
import type { Tick } from '../../src/model/session-memory.ts';
import { openRecording } from '../../src/store/reader.ts';
import type { ProblemCode } from '../../src/store/verify/verification.ts';
import { verifyFile } from '../../src/store/verify/verify-file.ts';
import { syntheticEvents } from '../support/synthetic-session.ts';
import { type Expected, expectedSamples } from './expected-samples.ts';

export interface Examination {
  /** Those that were thinned out are counted: minutes or hours of the percentiles stand for them. */
  tickCount: number;
  lastSequence: number;
  /** Ticks were thinned out. */
  isThinned: boolean;
  /** Ticks of which a part is missing, or is not what was recorded. */
  partialCount: number;
  /** What else is wrong: the file does not open, it is damaged, its percentiles do not fit. */
  problem: string | null;
}

/**
 * Holds a file against the session that was recorded into it: each tick with its processes and its
 * events, the percentiles, and what `headroom verify` finds. Where ticks were thinned out for want of
 * space the last minute has to be there, and every event.
 */
export function examine(file: string, expected: Expected): Examination {
  const nothing = { tickCount: 0, lastSequence: 0, isThinned: false, partialCount: 0 };
  try {
    using recording = openRecording(file);
    const stretches = recording.resolutions();
    const { partialCount, weightMs } = compare(recording, stretches, expected);
    return {
      tickCount: stretches.reduce((sum, { sampleCount }) => sum + sampleCount, 0),
      lastSequence: recording.lastTick()?.sequence ?? 0,
      isThinned: stretches.length > 1,
      partialCount,
      problem: weightProblem(recording, weightMs) ?? thinningProblem(stretches) ?? damage(file),
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

interface Comparison {
  partialCount: number;
  /** What the percentiles have to stand for; null where lost samples were thinned out with others. */
  weightMs: number | null;
}

function compare(
  recording: Recording,
  stretches: readonly ResolutionStretch[],
  expected: Expected,
): Comparison {
  const ticks = new Map([...recording.ticks()].map((tick) => [tick.sequence, tick]));
  const fullFrom = stretches.find(({ resolution }) => resolution === 'ticks')?.firstSequence ?? 0;
  const lastSequence = recording.lastTick()?.sequence ?? 0;
  const notes = notesOf(recording);
  const pss = pssByTime(recording);
  let partialCount = 0;
  let weight = 0;
  let before: Sample | null = null;
  for (const { sequence, sample } of expectedSamples(expected, lastSequence)) {
    const tick = ticks.get(sequence);
    const isWhole =
      (tick === undefined || hasFiguresOf(tick, sample)) &&
      (tick === undefined || sequence < fullFrom || hasPssOf(sample, pss)) &&
      syntheticEvents(sample).every(({ message }) => notes.has(message));
    if (!isWhole) partialCount++;
    ticks.delete(sequence);
    if (tick === undefined && sequence >= fullFrom) continue;
    weight += weightMs(before, sample, sample.intervalMs);
    before = sample;
  }
  const isKnown = stretches.every(({ lostCount }) => lostCount === 0);
  // What is left belongs to no sample.
  return { partialCount: partialCount + ticks.size, weightMs: isKnown ? weight : null };
}

function hasFiguresOf(tick: Tick, { processes: _, unreadable: __, ...figures }: Sample): boolean {
  return isDeepStrictEqual(tick, { ...figures, sequence: tick.sequence });
}

/** The generator reads the PSS of one process a tick, and such a row is always stored. */
function hasPssOf(sample: Sample, pss: ReadonlyMap<number, readonly number[]>): boolean {
  const wanted = sample.processes.flatMap(({ pssBytes }) => pssBytes ?? []);
  return isDeepStrictEqual(pss.get(sample.timeUnixMs), wanted);
}

function pssByTime(recording: Recording): Map<number, number[]> {
  const pss = new Map<number, number[]>();
  for (const { timeUnixMs, pssBytes } of recording.processSamples()) {
    if (pssBytes !== null) pss.set(timeUnixMs, [...(pss.get(timeUnixMs) ?? []), pssBytes]);
  }
  return pss;
}

function notesOf(recording: Recording): Set<string> {
  return new Set(
    recording.events().flatMap((event) => (event.kind === 'note' ? event.message : [])),
  );
}

function weightProblem(recording: Recording, wantedMs: number | null): string | null {
  const series = { scope: 'session', metric: 'working_set' } as const;
  const inSketch = recording.distribution(series)?.count ?? 0;
  return wantedMs === null || inSketch === wantedMs
    ? null
    : `percentiles of ${inSketch} ms, samples of ${wantedMs} ms`;
}

function thinningProblem(stretches: readonly ResolutionStretch[]): string | null {
  const full = stretches.find(({ resolution }) => resolution === 'ticks')?.sampleCount ?? 0;
  return stretches.length < 2 || full >= 60 ? null : `only the last ${full} ticks are whole`;
}

/** Null when `headroom verify` has nothing to say but what a kill explains. */
function damage(file: string): string | null {
  const problems = verifyFile(file).problems.filter(({ code }) => !leftByKill.has(code));
  return problems.length === 0 ? null : problems.map(({ message }) => message).join('; ');
}

const leftByKill = new Set<ProblemCode>(['log_unfinished', 'log_empty']);
