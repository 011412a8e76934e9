import type { FleetSession } from '../../model/fleet-session.ts';
import { formatRatio } from '../format.ts';
import { dimensionsOf } from './dimensions.ts';

// Of so few sessions any mix is chance.
const leastSessions = 10;
// So large a part has to be elsewhere on the other side.
const notableShare = 0.2;
// They differ by nature, or by what is asked.
const neverTold = ['day', 'verdict', 'version'];

/** How many sessions have each value of each label. */
export class Mix {
  readonly #byLabel = new Map<string, Map<string, number>>();
  #sessions = 0;

  add(session: FleetSession): void {
    this.#sessions++;
    for (const [label, value] of Object.entries(dimensionsOf(session))) {
      const counts = this.#byLabel.get(label) ?? new Map<string, number>();
      this.#byLabel.set(label, counts);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }

  get sessions(): number {
    return this.#sessions;
  }

  get labels(): Iterable<string> {
    return this.#byLabel.keys();
  }

  /** Of all sessions, by value; null: those without the label. */
  shares(label: string): Map<string | null, number> {
    const shares = new Map<string | null, number>();
    let without = this.#sessions;
    for (const [value, count] of this.#byLabel.get(label) ?? []) {
      shares.set(value, count / this.#sessions);
      without -= count;
    }
    if (without > 0) shares.set(null, without / this.#sessions);
    return shares;
  }
}

/**
 * What, besides the labels that were asked for, is spread differently over two sets of sessions: a
 * difference of memory may come from that. One sentence for each label.
 */
export function mixWarnings({ a, b }: { a: Mix; b: Mix }, asked: readonly string[]): string[] {
  if (a.sessions < leastSessions || b.sessions < leastSessions) return [];
  const labels = new Set([...a.labels, ...b.labels]);
  return [...labels]
    .filter((label) => !asked.includes(label) && !neverTold.includes(label))
    .flatMap((label) => {
      const [ofA, ofB] = [a.shares(label), b.shares(label)];
      const values = [...new Set([...ofA.keys(), ...ofB.keys()])];
      // Labels that name single sessions differ always.
      if (values.length > (a.sessions + b.sessions) / 4) return [];
      const difference = (value: string | null) => (ofB.get(value) ?? 0) - (ofA.get(value) ?? 0);
      const moved = values.reduce((sum, value) => sum + Math.abs(difference(value)) / 2, 0);
      if (moved < notableShare) return [];
      const [most = null] = values.toSorted(
        (x, y) => Math.abs(difference(y)) - Math.abs(difference(x)),
      );
      const what = most === null ? `without ${label}` : `${label}=${most}`;
      return [
        `The two have another mix of ${label}: ${what} is ${formatRatio(ofA.get(most) ?? 0)} of A and ${formatRatio(ofB.get(most) ?? 0)} of B; compare each with --by ${label}.`,
      ];
    });
}
