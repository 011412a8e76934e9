import { formatBytes } from '../../model/format-bytes.ts';
import { formatCount } from '../format.ts';
import { moreHitsNeeded, shareLowerBound } from './clopper-pearson.ts';
import type { History } from './history.ts';
import type { SessionDemand } from './session-demand.ts';
import type { SizingQuestion, TierEstimate } from './sizing.ts';
import type { TierFit } from './tier-fit.ts';

export interface Recommendation {
  /**
   * The smallest tier that is proven to fit; where none is, the smallest that nothing speaks against:
   * no session is known to need more. Null: there is no such tier, or no session.
   */
  tierBytes: number | null;
  fitRatio: number;
  confidence: number;
  /** Whether the data proves it. */
  reachable: boolean;
  /**
   * True: that rests on sessions that still grew when their recording ended and would not have fitted
   * for long, so it is said of sessions that last as long as these.
   */
  onlyForThisLength: boolean;
  reason: string;
  /** How many more sessions that all fit it takes; 0: none. Null: unknown, or more than a million. */
  sessionsMissing: number | null;
}

interface Findings {
  question: SizingQuestion;
  tiers: readonly TierFit[];
  history: History;
  estimate: TierEstimate | null;
}

export function recommend(sessions: readonly SessionDemand[], findings: Findings): Recommendation {
  const { fitRatio, confidence } = findings.question;
  const answer = {
    tierBytes: null,
    fitRatio,
    confidence,
    reachable: false,
    onlyForThisLength: false,
    sessionsMissing: null,
  };
  if (sessions.length === 0) return { ...answer, reason: 'There is no session to judge by.' };
  const proven = findings.tiers.find(({ fitLowerBound }) => fitLowerBound >= fitRatio);
  const tier = proven ?? findings.tiers.find((candidate) => isOpen(candidate, findings));
  if (tier === undefined) return { ...answer, reason: noTierWords(sessions, findings) };
  const fit = `${tier.sessionsFit} of ${sessions.length} fit in ${formatTier(tier.bytes)}`;
  const onlyForThisLength = dependsOnLength(tier, sessions.length, findings.question);
  const chosen = { tierBytes: tier.bytes, onlyForThisLength };
  const caveats = [...censoredWords(sessions, tier), ...growthWords(tier, onlyForThisLength)];
  if (findings.history.kind === 'growing') {
    const trend =
      'demand is growing, and sessions of the past do not prove what the next ones need';
    return { ...answer, ...chosen, reason: sentence([fit, ...caveats, trend]) };
  }
  const bound = `at least ${formatBound(tier.fitLowerBound)} at ${formatShare(confidence)} confidence`;
  const known = [`${fit}: ${bound}`, ...caveats];
  if (proven !== undefined) {
    const proof = { reachable: true, sessionsMissing: 0, reason: sentence(known) };
    return { ...answer, ...chosen, ...proof };
  }
  const tally = { hits: tier.sessionsFit, total: sessions.length };
  const sessionsMissing = moreHitsNeeded(tally, fitRatio, confidence);
  const reason = sentence([...known, missingWords(sessionsMissing, fitRatio)]);
  return { ...answer, ...chosen, sessionsMissing, reason };
}

/** Nothing is known that speaks against it; where demand grows, not even an estimate. */
function isOpen(tier: TierFit, { history, estimate }: Findings): boolean {
  if (tier.wouldHaveOomed > 0) return false;
  return history.kind !== 'growing' || estimate === null || estimate.bytes <= tier.usableBytes;
}

/** `86 %`; rounded down, as it is a lower bound: `98.9 %`, and one figure more for each further 9. */
export function formatBound(share: number): string {
  if (share >= 1) return '100 %';
  const digits = share < 0.9 ? 0 : Math.min(6, Math.ceil(-Math.log10(1 - share)) - 1);
  const scale = 10 ** digits;
  // What is 0.99 but for a rounding error is not to be printed as 98.9.
  return `${(Math.floor(share * 100 * scale + 1e-9) / scale).toFixed(digits)} %`;
}

/** A size that is sold: `1 GiB` rather than `1.00 GiB`. */
export function formatTier(bytes: number | null): string {
  return formatBytes(bytes).replace(/\.0+ /, ' ');
}

/** A share as it was asked for: `99 %`, `99.5 %`. */
export function formatShare(share: number): string {
  return `${Number((share * 100).toPrecision(9))} %`;
}

function censoredWords(sessions: readonly SessionDemand[], tier: TierFit): string[] {
  const censored = sessions.filter(({ isCensored }) => isCensored);
  if (censored.length === 0) return [];
  const most = Math.max(...censored.map(({ demandBytes }) => demandBytes));
  const [its, it, count] =
    censored.length === 1 ? ['its', 'it needs', 'it counts'] : ['their', 'they need', 'they count'];
  const unknown = tier.unknown === 0 ? '' : `, so ${count} as not fitting`;
  return [
    `${censored.length} met ${its} limit, and what ${it} is not known (at least ${formatBytes(most)})${unknown}`,
  ];
}

/** Whether less would be proven of the tier if those that outgrow it counted as not fitting. */
function dependsOnLength(
  { sessionsFit, sessionsOutgrowing, fitLowerBound }: TierFit,
  total: number,
  { fitRatio, confidence }: SizingQuestion,
): boolean {
  if (sessionsOutgrowing === 0) return false;
  if (fitLowerBound < fitRatio) return true;
  const hits = sessionsFit - sessionsOutgrowing;
  return shareLowerBound({ hits, total }, confidence) < fitRatio;
}

function growthWords({ sessionsOutgrowing: count }: TierFit, onlyForThisLength: boolean): string[] {
  if (count === 0) return [];
  const [they, their] = count === 1 ? ['it', 'its'] : ['they', 'their'];
  const grew = `${count} of them still grew when ${their} recording ended, and would not fit for long at that pace`;
  return [
    onlyForThisLength
      ? `${grew}: this is said of sessions that last as long as these, and what longer ones need is not known`
      : `${grew}; it is proven without counting on ${they === 'it' ? 'it' : 'them'}`,
  ];
}

function missingWords(missing: number | null, fitRatio: number): string {
  const share = formatShare(fitRatio);
  if (missing === null) return `${share} cannot be proven with sessions like these`;
  const fit = missing === 1 ? 'fits' : 'fit';
  return `for ${share} it takes ${formatCount(missing, 'more session')} that ${fit}`;
}

function noTierWords(sessions: readonly SessionDemand[], { tiers, estimate }: Findings): string {
  const largest = tiers.at(-1);
  const size = formatTier(largest?.bytes ?? null);
  const count = largest?.wouldHaveOomed ?? 0;
  const all = formatCount(sessions.length, 'session');
  if (count > 0) return `No tier holds all of it: ${count} of ${all} would not fit in ${size}.`;
  return `Demand is growing, and ${size} is less than the ${formatBytes(estimate?.bytes ?? null)} that is expected.`;
}

function sentence(clauses: readonly string[]): string {
  return `${clauses.join('; ')}.`;
}
