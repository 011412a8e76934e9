import type { FleetSession } from '../../model/fleet-session.ts';
import { formatRatio } from '../format.ts';
import { dimensionsOf, labelValue } from './dimensions.ts';

// Of so few sessions any mix is chance.
const leastSessions = 10;
// So large a part has to be elsewhere on the other side.
const notableShare = 0.2;
// They differ by nature, or by what is asked.
const neverTold = ['day', 'verdict', 'version'];

/**
 * What, besides the labels that were asked for, is spread differently over two sets of sessions: a
 * difference of memory may come from that. One sentence for each label.
 */
export function mixWarnings(
  { a, b }: { a: readonly FleetSession[]; b: readonly FleetSession[] },
  asked: readonly string[],
): string[] {
  if (a.length < leastSessions || b.length < leastSessions) return [];
  const labels = new Set([...a, ...b].flatMap((session) => Object.keys(dimensionsOf(session))));
  return [...labels]
    .filter((label) => !asked.includes(label) && !neverTold.includes(label))
    .flatMap((label) => {
      const [ofA, ofB] = [sharesOf(a, label), sharesOf(b, label)];
      const values = [...new Set([...ofA.keys(), ...ofB.keys()])];
      // Labels that name single sessions differ always.
      if (values.length > (a.length + b.length) / 4) return [];
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

function sharesOf(sessions: readonly FleetSession[], label: string): Map<string | null, number> {
  const shares = new Map<string | null, number>();
  for (const session of sessions) {
    const value = labelValue(session, label);
    shares.set(value, (shares.get(value) ?? 0) + 1 / sessions.length);
  }
  return shares;
}
