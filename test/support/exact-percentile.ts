export interface Weighted {
  value: number;
  weight: number;
}

/** Nearest rank by weight, straight from its definition. */
export function exactPercentile(values: readonly Weighted[], q: number): number {
  const sorted = values.toSorted((a, b) => a.value - b.value);
  const rank = Math.ceil(q * sorted.reduce((sum, { weight }) => sum + weight, 0));
  let seen = 0;
  for (const { value, weight } of sorted) {
    seen += weight;
    if (seen >= rank) return value;
  }
  return Number.NaN;
}
