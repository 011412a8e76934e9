import type { Point } from '../otlp/session-points.ts';
import type { SessionFigures } from './scraped-session.ts';

// One that began before the server by more than this was shown by an earlier server.
const newSessionMs = 5_000;

/**
 * A counter that is first seen at 1 has not increased, for Prometheus: the first OOM kill of a young
 * session would be lost. So of a session that began under our eyes, the first answer shows each
 * counter as it was at the beginning of the session: 0.
 */
export class BornCounters {
  readonly #serverStartUnixMs: number;
  #shown = new Map<string, Set<string>>();

  constructor(serverStartUnixMs: number) {
    this.#serverStartUnixMs = serverStartUnixMs;
  }

  /** The points of all sessions of an answer; of those that are not among them nothing is kept. */
  show(sessions: ReadonlyMap<string, SessionFigures>): Map<string, readonly Point[]> {
    const shown = new Map<string, Set<string>>();
    const points = new Map<string, readonly Point[]>();
    for (const [id, session] of sessions) {
      const counters = this.#shown.get(id) ?? new Set<string>();
      shown.set(id, counters);
      const isNew = session.startedUnixMs >= this.#serverStartUnixMs - newSessionMs;
      points.set(
        id,
        isNew ? session.points.map((one) => bornAtZero(one, counters)) : session.points,
      );
    }
    this.#shown = shown;
    return points;
  }
}

function bornAtZero(point: Point, shown: Set<string>): Point {
  const { metric, attributes } = point.series;
  if (metric.instrument !== 'counter') return point;
  const key = `${metric.name} ${JSON.stringify(attributes)}`;
  if (shown.has(key)) return point;
  shown.add(key);
  return { ...point, value: 0 };
}
