import type { FleetSession } from '../../model/fleet-session.ts';
import { formatCount } from '../format.ts';
import {
  censoredRankTest,
  countOf,
  type Demand,
  type Demands,
  sortedDemands,
} from './censored-rank-test.ts';
import { fits, type LabelFilter, labelValue } from './dimensions.ts';
import { compareValues } from './fleet-report.ts';
import { type FleetFigures, FleetSum } from './fleet-sum.ts';
import { Mix, mixWarnings } from './mix-warnings.ts';
import { type FactorInterval, factorInterval } from './shift-interval.ts';

/** The answer of `headroom fleet diff`; as JSON it is its output. Fields are only added. */
export interface FleetDiff extends Comparison {
  schemaVersion: 1;
  confidence: number;
  /** A difference that is smaller than this share does not matter. */
  margin: number;
  /** Sessions that fit both sides, and are in neither. */
  inBoth: number;
  /** Empty without a label. */
  groups: (Comparison & { label: string; value: string | null })[];
}

/**
 * What the data says of the memory that sessions of B need, compared with A. `more`, `less`: by a factor
 * that is proven. `same`: proven to differ by less than the margin. `unknown`: none of these.
 */
export type DiffVerdict = 'more' | 'less' | 'same' | 'unknown';

export interface Comparison {
  a: FleetFigures;
  b: FleetFigures;
  verdict: DiffVerdict;
  /** How many times what A needs B does, and between what that is at the confidence. */
  factor: FactorInterval;
  /** Gehan's rank test, two-sided. */
  p: number;
  /** How likely a session of B needs more than one of A; pairs of which nobody knows count as halves. */
  moreLikely: number | null;
  /**
   * When nothing is proven: about how many more sessions, of both together, make the interval as narrow as
   * the margin. Null: nothing is missing, there are too few to tell how many, or more like these do not help.
   */
  sessionsMissing: number | null;
  /** What else differs between the two, and may be the cause; a sentence each. */
  warnings: string[];
}

export interface DiffQuestion {
  a: readonly LabelFilter[];
  b: readonly LabelFilter[];
  by?: string;
  confidence: number;
  margin: number;
}

/** Compares the demand of two sets of sessions. RangeError for shares that are not between 0 and 1. */
export function fleetDiff(sessions: Iterable<FleetSession>, question: DiffQuestion): FleetDiff {
  for (const name of ['confidence', 'margin'] as const) {
    const share = question[name];
    if (!(share > 0 && share < 1)) {
      throw new RangeError(`${name} is to be between 0 and 1, not ${share}`);
    }
  }
  const { by } = question;
  const whole = new Sides();
  const byValue = new Map<string | null, Sides>();
  let inBoth = 0;
  for (const session of sessions) {
    const isA = fits(session, question.a);
    const isB = fits(session, question.b);
    if (isA && isB) inBoth++;
    if (isA === isB) continue;
    const side = isA ? 'a' : 'b';
    whole[side].add(session);
    if (by === undefined) continue;
    const value = labelValue(session, by);
    const sides = byValue.get(value) ?? new Sides();
    byValue.set(value, sides);
    sides[side].add(session);
  }
  return {
    schemaVersion: 1,
    ...compare(whole, question),
    confidence: question.confidence,
    margin: question.margin,
    inBoth,
    groups: [...byValue]
      .sort(([a], [b]) => compareValues(a, b))
      .map(([value, sides]) => ({ label: by ?? '', value, ...compare(sides, question) })),
  };
}

class Sides {
  readonly a = new Side();
  readonly b = new Side();
}

/** What is kept of the sessions of one side: not their distributions, which are most of them. */
class Side {
  readonly #sum = new FleetSum();
  readonly #demands: Demand[] = [];
  readonly mix = new Mix();

  add(session: FleetSession): void {
    this.#sum.add(session);
    this.#demands.push(demandOf(session));
    this.mix.add(session);
  }

  figures(): FleetFigures {
    return this.#sum.figures();
  }

  demands(): Demands {
    return sortedDemands(this.#demands);
  }
}

function compare(
  { a, b }: Sides,
  { a: ofA, b: ofB, confidence, margin }: DiffQuestion,
): Comparison {
  const [demandsA, demandsB] = [a.demands(), b.demands()];
  const [m, n] = [countOf(demandsA), countOf(demandsB)];
  const { score, p } = censoredRankTest(demandsA, demandsB);
  const factor = factorInterval(demandsA, demandsB, confidence);
  const verdict = verdictOf(factor, margin);
  const isCertain = verdict !== 'unknown';
  return {
    a: a.figures(),
    b: b.figures(),
    verdict,
    factor,
    p,
    moreLikely: m * n === 0 ? null : (1 + score / (m * n)) / 2,
    sessionsMissing: isCertain ? null : sessionsMissing(factor, margin, m + n),
    warnings: mixWarnings(
      { a: a.mix, b: b.mix },
      [...ofA, ...ofB].map(({ label }) => label),
    ),
  };
}

function verdictOf({ low, high }: FactorInterval, margin: number): DiffVerdict {
  if (low !== null && high !== null && low * (1 + margin) >= 1 && high <= 1 + margin) return 'same';
  if (low !== null && low > 1) return 'more';
  return high !== null && high < 1 ? 'less' : 'unknown';
}

/** An interval narrows with the root of the number of sessions. */
function sessionsMissing({ low, high }: FactorInterval, margin: number, count: number) {
  if (low === null || high === null) return null;
  const ratio = Math.log(high / low) / 2 / Math.log(1 + margin);
  return Math.max(1, Math.ceil(count * ratio ** 2) - count);
}

/** A session that met its limit needed more than that, whatever its last sample says. */
function demandOf({ demandBytes, limitBytes, isCensored }: FleetSession): Demand {
  return { log: Math.log(Math.max(1, demandBytes, isCensored ? limitBytes : 0)), isCensored };
}

/** `version=1.2, workload=shop` */
export function filterWords(filters: readonly LabelFilter[]): string {
  return filters.map(({ label, value }) => `${label}=${value}`).join(', ');
}

/** `40 sessions, 2 met their limit` */
export function sideWords({ sessions, censored }: FleetFigures): string {
  const met = censored === 0 ? '' : `, ${censored} met ${censored === 1 ? 'its' : 'their'} limit`;
  return `${formatCount(sessions, 'session')}${met}`;
}
