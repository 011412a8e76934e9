/** Uniform numbers in [0, 1), the same ones for the same seed: a linear congruential generator. */
export function uniformNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
