import { normalQuantile } from './normal.ts';

const leastForModel = 5;

/**
 * What a lognormal model expects: the demand below which a share of all sessions lies, at a confidence,
 * as far as demand is lognormal, which nothing proves. Fitted to the ranks, so that censored sessions
 * count as the largest without their value being needed. Bytes; null: too few, or nearly all censored.
 *
 * The line through the logarithms of the measured demands over normal quantiles (plotting positions of
 * Blom) gives mean and deviation; the factor is that of a one-sided tolerance limit (Natrella 1963).
 */
export function tailEstimate(
  demands: readonly number[],
  censored: number,
  asked: { fitRatio: number; confidence: number },
): number | null {
  const n = demands.length + censored;
  if (demands.length < leastForModel || censored > n / 4) return null;
  const logs = demands.toSorted((a, b) => a - b).map((bytes) => Math.log(Math.max(1, bytes)));
  const places = logs.map((_, at) => normalQuantile((at + 0.625) / (n + 0.25)));
  const line = fitLine(places, logs);
  const factor = toleranceFactor(n, asked);
  if (factor === null) return null;
  return Math.round(Math.exp(line.at0 + factor * line.slope));
}

function fitLine(x: readonly number[], y: readonly number[]): { at0: number; slope: number } {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const [mx, my] = [mean(x), mean(y)];
  let sxy = 0;
  let sxx = 0;
  x.forEach((value, at) => {
    sxy += (value - mx) * ((y[at] ?? my) - my);
    sxx += (value - mx) ** 2;
  });
  const slope = sxx === 0 ? 0 : sxy / sxx;
  return { at0: my - slope * mx, slope };
}

/** How many deviations above the mean; null where so few sessions allow for none. */
function toleranceFactor(
  n: number,
  { fitRatio, confidence }: { fitRatio: number; confidence: number },
): number | null {
  const z = normalQuantile(fitRatio);
  const c = normalQuantile(confidence);
  const a = 1 - c ** 2 / (2 * (n - 1));
  const root = z ** 2 - a * (z ** 2 - c ** 2 / n);
  if (a <= 0 || root < 0) return null;
  return (z + Math.sqrt(root)) / a;
}
