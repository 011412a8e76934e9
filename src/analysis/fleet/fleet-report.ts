import type { FleetSession } from '../../model/fleet-session.ts';
import { labelValue } from './dimensions.ts';
import { type FleetFigures, FleetSum } from './fleet-sum.ts';

/** The answer of `headroom fleet report`; as JSON it is its output. Fields are only added. */
export interface FleetReport extends FleetFigures {
  schemaVersion: 1;
  /** Empty without a label; those without the label last. */
  groups: FleetGroup[];
}

export interface FleetGroup extends FleetFigures {
  label: string;
  /** Null: those without the label. */
  value: string | null;
}

/** Sums up sessions, in one pass: all of them, and by the values of labels. */
export function fleetReport(
  sessions: Iterable<FleetSession>,
  { by = [] }: { by?: readonly string[] } = {},
): FleetReport {
  const whole = new FleetSum();
  const byLabel = [...new Set(by)].map((label) => ({
    label,
    sums: new Map<string | null, FleetSum>(),
  }));
  for (const session of sessions) {
    whole.add(session);
    for (const { label, sums } of byLabel) {
      const value = labelValue(session, label);
      const sum = sums.get(value) ?? new FleetSum();
      sums.set(value, sum);
      sum.add(session);
    }
  }
  return {
    schemaVersion: 1,
    ...whole.figures(),
    groups: byLabel.flatMap(({ label, sums }) =>
      [...sums]
        .sort(([a], [b]) => compareValues(a, b))
        .map(([value, sum]) => ({ label, value, ...sum.figures() })),
    ),
  };
}

/** Numbers in texts by their size, as in versions; what is not there last. */
export function compareValues(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a.localeCompare(b, 'en', { numeric: true });
}
