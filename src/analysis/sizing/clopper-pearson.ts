/**
 * The exact one-sided lower bound of a share (Clopper and Pearson 1934): the smallest share under
 * which `hits` or more of `total` would still be seen with a probability of 1 − confidence. The true
 * share is below it in at most 1 − confidence of all such samples, whatever the distribution. 0 when
 * nothing was hit.
 */
export function shareLowerBound({ hits, total }: Tally, confidence: number): number {
  if (hits <= 0) return 0;
  const doubt = 1 - confidence;
  if (hits >= total) return doubt ** (1 / total);
  let low = 0;
  let high = hits / total;
  // The tail grows with the share, and at hits / total it is far above any doubt that is asked for.
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (tail({ hits, total }, middle) > doubt) high = middle;
    else low = middle;
  }
  return low;
}

/** Between these the true share is, at a confidence, by the same two-sided. */
export function shareBounds({ hits, total }: Tally, confidence: number) {
  const oneSided = (1 + confidence) / 2;
  return {
    low: shareLowerBound({ hits, total }, oneSided),
    high: 1 - shareLowerBound({ hits: total - hits, total }, oneSided),
  };
}

export interface Tally {
  hits: number;
  total: number;
}

/** How many hits without a miss prove a share: 299 for 99 % at 95 % confidence. */
export function cleanRunNeeded(share: number, confidence: number): number {
  const needed = Math.ceil(Math.log(1 - confidence) / Math.log(share));
  // A rounding error of the logarithms may be one off, in either direction.
  const holds = (total: number) => total > 0 && (1 - confidence) ** (1 / total) >= share;
  if (holds(needed - 1)) return needed - 1;
  return holds(needed) ? needed : needed + 1;
}

/**
 * How many further hits, with no further miss, until the bound reaches the share; 0 when it does now.
 * Null when not even a million would do.
 */
export function moreHitsNeeded({ hits, total }: Tally, share: number, confidence: number) {
  const holds = (more: number) =>
    shareLowerBound({ hits: hits + more, total: total + more }, confidence) >= share;
  if (holds(0)) return 0;
  let enough = 1;
  while (!holds(enough)) {
    enough *= 2;
    if (enough > 1_000_000) return null;
  }
  let short = Math.floor(enough / 2);
  while (enough - short > 1) {
    const middle = Math.floor((short + enough) / 2);
    if (holds(middle)) enough = middle;
    else short = middle;
  }
  return enough;
}

/** The fewest hits of `total` whose bound reaches the share; null when not even all of them do. */
export function hitsNeeded(total: number, share: number, confidence: number): number | null {
  const holds = (hits: number) => shareLowerBound({ hits, total }, confidence) >= share;
  if (total === 0 || !holds(total)) return null;
  let low = 0;
  let high = total;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** P(X ≥ hits) of a binomial, for a share of at most hits / total: from there on terms only fall. */
function tail({ hits, total }: Tally, share: number): number {
  if (share <= 0) return 0;
  const odds = share / (1 - share);
  let term = Math.exp(
    logChoose(total, hits) + hits * Math.log(share) + (total - hits) * Math.log1p(-share),
  );
  let sum = term;
  for (let k = hits; k < total && term > sum * 1e-17; k++) {
    term *= ((total - k) / (k + 1)) * odds;
    sum += term;
  }
  return sum;
}

function logChoose(total: number, hits: number): number {
  const few = Math.min(hits, total - hits);
  return logFactorial(total) - logFactorial(few) - logFactorial(total - few);
}

const logFactorials = [0];

function logFactorial(n: number): number {
  for (let k = logFactorials.length; k <= Math.min(n, 100_000); k++) {
    logFactorials.push((logFactorials[k - 1] ?? 0) + Math.log(k));
  }
  // Stirling's series; from 100,000 on its error is far below that of a double.
  return logFactorials[n] ?? n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n);
}
