import type { SessionDemand } from '../../src/analysis/sizing/session-demand.ts';
import { type Sizing, type SizingQuestion, sizing } from '../../src/analysis/sizing/sizing.ts';
import { maximumPlusFifth, type SeenSession, vpaTarget } from './sizing-rules.ts';
import { type Random, seededRandom, type Workload } from './sizing-workloads.ts';

const mib = 2 ** 20;
const hoursApart = 1;
const truthDraws = 1_000_000;

/** How one amount of memory stood in all trials. */
export interface AmountResult {
  /** Trials in which there was such an amount. */
  count: number;
  /** Of these, those in which the asked share of the next sessions fits it. */
  kept: number;
  /** Sum of amount / mean demand. */
  timesMean: number;
  /** By which factor each would have been just enough. */
  factors: number[];
}

export interface TrialsResult {
  workload: string;
  trials: number;
  /** Whether the demand of the history is that of the sessions behind it. */
  isExchangeable: boolean;
  /** For each tier, in how many trials its bound was not above the truth. */
  boundsKept: number[];
  /** Trials in which the next sessions were said to fit a tier as asked, and do. */
  proven: { count: number; kept: number };
  growing: number;
  changed: number;
  amounts: Record<'bound' | 'estimate' | 'vpa' | 'maximum', AmountResult>;
}

// Close enough to each other that for each workload some are about right.
const tiers = [400, 512, 640, 800, 1024, 1280, 1600, 2048, 3072, 4096, 8192].map((n) => n * mib);

/** Plays histories of so many sessions, an hour apart, and asks for the next one. */
export function playTrials(
  workload: Workload,
  { trials, length, question }: { trials: number; length: number; question: SizingQuestion },
): TrialsResult {
  const random = seededRandom(length + seedOf(workload.name));
  const truth = nextDemands(workload, random);
  const mean = truth.reduce((a, b) => a + b, 0) / truth.length;
  const enough = truth[Math.ceil(question.fitRatio * truth.length) - 1] ?? 0;
  const amount = (): AmountResult => ({ count: 0, kept: 0, timesMean: 0, factors: [] });
  const result: TrialsResult = {
    workload: workload.name,
    trials,
    isExchangeable: workload.changes !== true && workload.limitMib === undefined,
    boundsKept: tiers.map(() => 0),
    proven: { count: 0, kept: 0 },
    growing: 0,
    changed: 0,
    amounts: { bound: amount(), estimate: amount(), vpa: amount(), maximum: amount() },
  };
  for (let trial = 0; trial < trials; trial++) {
    const sessions = history(workload, length, random);
    const answer = sizing(sessions, { ...question, tiers });
    addPromises(result, answer, truth);
    const seen = sessions.map(seenSession);
    const add = (name: keyof TrialsResult['amounts'], bytes: number | null) => {
      if (bytes === null) return;
      const entry = result.amounts[name];
      entry.count++;
      entry.timesMean += bytes / mean;
      entry.factors.push(enough / bytes);
      if (fitShare(truth, bytes) >= question.fitRatio) entry.kept++;
    };
    add('bound', answer.boundBytes);
    add('estimate', answer.estimate?.bytes ?? null);
    add('vpa', vpaTarget(seen));
    add('maximum', maximumPlusFifth(seen));
  }
  return result;
}

/** Another one for each workload: else those of one shape would all be lucky together. */
function seedOf(name: string): number {
  return [...name].reduce((seed, letter) => 31 * seed + letter.charCodeAt(0), 0) % 1_000_003;
}

function addPromises(result: TrialsResult, answer: Sizing, truth: Float64Array): void {
  if (answer.history.kind === 'growing') result.growing++;
  if (answer.history.kind === 'changed') result.changed++;
  answer.tiers.forEach((tier, at) => {
    const isKept = tier.fitLowerBound <= fitShare(truth, tier.usableBytes);
    if (isKept) result.boundsKept[at] = (result.boundsKept[at] ?? 0) + 1;
  });
  const { tierBytes, reachable, fitRatio } = answer.recommendation;
  const tier = answer.tiers.find(({ bytes }) => bytes === tierBytes);
  if (!reachable || tier === undefined) return;
  result.proven.count++;
  if (fitShare(truth, tier.usableBytes) >= fitRatio) result.proven.kept++;
}

function history(workload: Workload, length: number, random: Random): SessionDemand[] {
  return Array.from({ length }, (_, at) => {
    const needed = workload.draw(random, at / (length - 1)) * mib;
    const limitBytes = (workload.limitMib ?? 65_536) * mib;
    return {
      id: String(at),
      file: '',
      startedUnixMs: at * hoursApart * 3_600_000,
      labels: {},
      version: null,
      demandBytes: Math.min(needed, limitBytes),
      source: 'samples',
      isCensored: needed > limitBytes,
      isCutOff: false,
      growth: null,
      limitBytes,
      limitSource: 'cgroup_v2',
    };
  });
}

/** What sessions after the end of the history need, sorted; bytes. */
function nextDemands(workload: Workload, random: Random): Float64Array {
  return Float64Array.from({ length: truthDraws }, () => workload.draw(random, 1) * mib).sort();
}

function fitShare(sorted: Float64Array, bytes: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= bytes) low = middle + 1;
    else high = middle;
  }
  return low / sorted.length;
}

function seenSession({ demandBytes, startedUnixMs, isCensored }: SessionDemand): SeenSession {
  return { bytes: demandBytes, hours: startedUnixMs / 3_600_000, isKilled: isCensored };
}
