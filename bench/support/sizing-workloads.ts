/** Draws one number from 0 to 1. */
export type Random = () => number;

export interface Workload {
  name: string;
  /** The demand of a session in MiB at a moment of the history: 0 its start, 1 its end. */
  draw(random: Random, moment: number): number;
  /** Sessions run with this much memory and meet it; MiB. */
  limitMib?: number;
  /** The demand is not the same over the history. */
  changes?: boolean;
}

/** Known truths: what a fleet of browser sessions may look like. Means between 400 and 900 MiB. */
export const workloads: readonly Workload[] = [
  { name: 'stable', draw: (random) => lognormal(random, 600, 0.05) },
  { name: 'spread', draw: (random) => lognormal(random, 500, 0.4) },
  { name: 'heavy', draw: pareto },
  { name: 'leaking', draw: leaking },
  {
    name: 'bimodal',
    draw: (random) =>
      random() < 0.95 ? lognormal(random, 400, 0.1) : lognormal(random, 1600, 0.2),
  },
  { name: 'rare large', draw: (random) => (random() < 0.98 ? 400 + 50 * random() : 3000) },
  {
    name: 'drifting',
    changes: true,
    draw: (random, moment) => (1 + moment / 2) * lognormal(random, 500, 0.2),
  },
  {
    name: 'one release',
    changes: true,
    draw: (random, moment) => (moment < 0.6 ? 1 : 1.4) * lognormal(random, 500, 0.15),
  },
  {
    name: 'fixed',
    changes: true,
    draw: (random, moment) => (moment < 0.6 ? 1.4 : 1) * lognormal(random, 500, 0.15),
  },
  { name: 'censored', draw: (random) => lognormal(random, 500, 0.4), limitMib: 1024 },
];

/** Uniform numbers, the same ones for the same seed: mulberry32, good enough in pairs for Box and Muller. */
export function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Median `middle`; `spread` is the deviation of the logarithm.
function lognormal(random: Random, middle: number, spread: number): number {
  return middle * Math.exp(spread * normal(random));
}

// Of every ten sessions one has twice the excess, or more.
function pareto(random: Random): number {
  return 300 + 100 * (1 - random()) ** (-1 / 2.5);
}

// Grows with a duration that is exponential: 4 MiB a minute, 40 minutes on average.
function leaking(random: Random): number {
  return 350 + 4 * -40 * Math.log(1 - random());
}

// Box and Muller.
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
