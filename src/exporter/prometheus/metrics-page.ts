import { metricCatalog } from '../metric-catalog.ts';
import { durationMetric, type MetricDefinition } from '../metric-definition.ts';
import type { Point } from '../otlp/session-points.ts';
import { BornCounters } from './born-counters.ts';
import {
  acceptedFormat,
  contentTypes,
  type ExpositionFormat,
  exposition,
  type MetricFamily,
} from './exposition.ts';
import type { SessionFigures } from './scraped-session.ts';
import type { Watch, WatchedFile, WatchedRecordings } from './watched-recordings.ts';

export interface MetricsAnswer {
  contentType: string;
  body: string;
}

/** `/metrics`: all sessions that are recorded now, and for a while those that have just ended. */
export class MetricsPage {
  readonly #recordings: WatchedRecordings;
  readonly #counters: BornCounters;
  readonly #bodies = new Map<ExpositionFormat, string>();
  #watch: Watch | null = null;
  #families: readonly MetricFamily[] = [];

  constructor(recordings: WatchedRecordings, now: () => number = Date.now) {
    this.#recordings = recordings;
    this.#counters = new BornCounters(now());
  }

  /** In the format that the `Accept` header asks for. Errors: see {@link WatchedRecordings.read}. */
  async answer(accept: string | undefined): Promise<MetricsAnswer> {
    this.#see(await this.#recordings.read());
    const format = acceptedFormat(accept);
    const body = this.#bodies.get(format) ?? exposition(this.#families, format);
    this.#bodies.set(format, body);
    return { contentType: contentTypes[format], body };
  }

  #see(watch: Watch): void {
    if (watch === this.#watch) return;
    const points = this.#counters.show(distinct(watch.files));
    this.#families = [...sessionFamilies(points), ...serverFamilies(watch)];
    this.#bodies.clear();
    this.#watch = watch;
  }
}

/** Metrics of the server itself, which no recording has. */
export const serverMetrics = {
  recordings: {
    name: 'headroom.serve.recordings',
    instrument: 'gauge',
    unit: '{recording}',
    valueType: 'int',
    stability: 'own',
    help: 'Recordings that this server sees, by state; ended ones are shown for five minutes.',
  },
  readDuration: {
    name: 'headroom.serve.read.duration',
    ...durationMetric,
    stability: 'own',
    help: 'How long it took to read them for this answer.',
  },
} as const satisfies Record<string, MetricDefinition>;

const states = ['live', 'stalled', 'ended', 'unreadable'] as const;

// A copy of a file beside it is the same session, and a series may be there only once.
function distinct(files: readonly WatchedFile[]): Map<string, SessionFigures> {
  const sessions = new Map<string, SessionFigures>();
  for (const state of states) {
    for (const { sessionId, figures } of files.filter((file) => file.state === state)) {
      if (sessionId === null || figures === null || sessions.has(sessionId)) continue;
      sessions.set(sessionId, figures);
    }
  }
  return sessions;
}

function sessionFamilies(points: Iterable<Point>): MetricFamily[] {
  const families = new Map<string, MetricFamily>();
  for (const metric of metricCatalog) families.set(metric.name, { metric, samples: [] });
  for (const { series, value } of points) {
    const { metric, attributes } = series;
    // Sent on request only, and no text format can have it.
    if (typeof value === 'object' && value.kind === 'exponential') continue;
    families.get(metric.name)?.samples.push({ attributes, value });
  }
  return [...families.values()];
}

function serverFamilies({ files, readSeconds }: Watch): MetricFamily[] {
  return [
    {
      metric: serverMetrics.recordings,
      samples: states.map((state) => ({
        attributes: { 'headroom.recording.state': state },
        value: files.filter((file) => file.state === state).length,
      })),
    },
    {
      metric: serverMetrics.readDuration,
      samples: [{ attributes: {}, value: readSeconds }],
    },
  ];
}
