/** P(Z ≤ z) of the standard normal distribution, within 1e-15 of the truth where it is not tiny. */
export function normalCdf(z: number): number {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (Math.abs(z) < 4) return 0.5 + density * seriesOf(z);
  const upper = density / continuedFraction(Math.abs(z));
  return z > 0 ? 1 - upper : upper;
}

/** The z below which a share of a standard normal distribution lies; the share is between 0 and 1. */
export function normalQuantile(share: number): number {
  if (share < 0.5) return -normalQuantile(1 - share);
  // Newton's steps from the middle never pass the root, as the density only falls from there.
  let z = 0;
  for (let step = 0; step < 100; step++) {
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    const missing = (share - normalCdf(z)) / density;
    if (!(missing > 1e-13)) break;
    z += missing;
  }
  return z;
}

/** Both tails beyond ±z. */
export function twoSided(z: number): number {
  return 2 * normalCdf(-Math.abs(z));
}

/** The integral of the density from 0 to z, over the density at z: z + z³/3 + z⁵/15 + … */
function seriesOf(z: number): number {
  let term = z;
  let sum = z;
  for (let n = 3; Math.abs(term) > 1e-17 * Math.abs(sum); n += 2) {
    term *= (z * z) / n;
    sum += term;
  }
  return sum;
}

/** Density over upper tail: z + 1/(z + 2/(z + 3/(z + …))), Laplace's fraction. */
function continuedFraction(z: number): number {
  let value = z;
  for (let n = 60; n >= 1; n--) value = z + n / value;
  return value;
}
