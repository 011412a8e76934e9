import type { FleetSession } from '../../model/fleet-session.ts';

/** A condition on sessions: this label has this value. */
export interface LabelFilter {
  label: string;
  value: string;
}

/**
 * By what sessions can be told apart: the labels of their recordings, and what is known without any:
 * `version`, `tier`, `day` (of the start, UTC), `source` and `verdict`. A label of such a name wins.
 */
export function dimensionsOf(session: FleetSession): Readonly<Record<string, string>> {
  const { labels, version, tier, source, verdict, startedUnixMs } = session;
  const day = new Date(startedUnixMs).toISOString().slice(0, 10);
  return { day, tier, source, verdict, ...(version === null ? {} : { version }), ...labels };
}

/** Null: it has no such label. */
export function labelValue(session: FleetSession, label: string): string | null {
  const dimensions = dimensionsOf(session);
  return Object.hasOwn(dimensions, label) ? (dimensions[label] ?? null) : null;
}

/** Whether all conditions hold; without any they do. */
export function fits(session: FleetSession, filters: readonly LabelFilter[]): boolean {
  return filters.every(({ label, value }) => labelValue(session, label) === value);
}
