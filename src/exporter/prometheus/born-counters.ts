import type { Point } from '../otlp/session-points.ts';
import type { SessionFigures } from './scraped-session.ts';
import { seriesKey } from './series-key.ts';

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

  /** The points of all sessions of an answer, by id. Of those that are not among them nothing is kept. */
  show(sessions: ReadonlyMap<string, SessionFigures>): Point[] {
    const before = this.#shown;
    this.#shown = new Map();
    return [...sessions].flatMap(([id, { startedUnixMs, points }]) => {
      const counters = before.get(id) ?? new Set<string>();
      this.#shown.set(id, counters);
      const isNew = startedUnixMs >= this.#serverStartUnixMs - newSessionMs;
      return isNew ? points.map((point) => bornAtZero(point, counters)) : points;
    });
  }
}

function bornAtZero(point: Point, shown: Set<string>): Point {
  const { instrument } = point.series.metric;
  if (instrument !== 'counter' && instrument !== 'histogram') return point;
  const key = seriesKey(point);
  if (shown.has(key)) return point;
  shown.add(key);
  const { value } = point;
  if (typeof value !== 'object') return { ...point, value: 0 };
  return {
    ...point,
    value: { ...value, counts: value.counts.map(() => 0), count: 0, sum: 0, min: null, max: null },
  };
}
