import type { Recording } from '../../model/recording.ts';
import type { TimeRange } from '../../model/time-range.ts';
import type { DropCounts, Item, ItemReader } from '../otlp/batch.ts';
import { EventReader } from '../otlp/event-reader.ts';
import { PointReader } from '../otlp/point-reader.ts';
import { serializePoints } from '../otlp/serialize.ts';
import { serializeEvents } from '../otlp/serialize-events.ts';
import { resourceOf } from '../session-identity.ts';

// About 0.5 MB a line; a collector's receiver reads a line whole.
const limits = { items: 1000, spanMs: 300_000 };

/**
 * A recording as OTLP in JSON, one request a line: what the `otlpjsonfile` receiver of an
 * OpenTelemetry Collector reads (opentelemetry.io/docs/specs/otel/protocol/file-exporter). First the
 * metrics, with the names and values of an export over the network, then the events as log records.
 * 64-bit integers are strings, as the JSON mapping of Protocol Buffers wants them.
 */
export function* otlpJsonLines(
  recording: Recording,
  {
    range = {},
    resource = {},
    exponential = false,
    perProcess = null,
    onDropped,
    onNotice,
  }: {
    range?: TimeRange;
    /** Every distribution as an exponential histogram, too. */
    exponential?: boolean;
    /** Series of single processes, of so many at a time. */
    perProcess?: number | null;
    /** Attributes of the resource besides those of the recording. */
    resource?: Readonly<Record<string, string>>;
    /** Points that no JSON number or integer can say. */
    onDropped?: (counts: DropCounts) => void;
    /** What is left out on purpose; the same again and again. */
    onNotice?: (text: string) => void;
  } = {},
): Generator<string> {
  const { facts } = recording;
  const attributes = resourceOf(facts, resource);
  const points = pointReader(recording, { range, exponential, perProcess });
  for (const batch of batches(points, recording, { range, onDropped, onNotice })) {
    yield line(serializePoints(batch, attributes, 'json'));
  }
  for (const records of batches(new EventReader(recording, null), recording, { range })) {
    yield line(serializeEvents(records, attributes, 'json'));
  }
}

// Counters are from the start of the recording, whatever part of it is asked for.
function pointReader(
  recording: Recording,
  {
    range: { fromUnixMs },
    ...options
  }: { range: TimeRange; exponential: boolean; perProcess: number | null },
): PointReader {
  const [first] = fromUnixMs === undefined ? [] : recording.ticks({ fromUnixMs });
  const from = first === undefined ? null : { sequence: first.sequence - 1, isClosed: false };
  return new PointReader(recording, from, { encoding: 'json', ...options });
}

function* batches<T extends Item>(
  reader: ItemReader<T>,
  recording: Recording,
  {
    range,
    onDropped,
    onNotice,
  }: {
    range: TimeRange;
    onDropped?: ((counts: DropCounts) => void) | undefined;
    onNotice?: ((text: string) => void) | undefined;
  },
): Generator<T[]> {
  const { fromUnixMs = Number.NEGATIVE_INFINITY, toUnixMs = Number.POSITIVE_INFINITY } = range;
  const horizon = {
    toUnixMs: range.toUnixMs,
    ended: !recording.isLive,
    // A file keeps what was recorded, whatever the clock of this machine says.
    nowUnixMs: Number.POSITIVE_INFINITY,
  };
  for (;;) {
    const batch = reader.next(recording, limits, horizon);
    if (batch === null) return;
    const items = batch.items.filter(
      ({ timeUnixMs }) => timeUnixMs >= fromUnixMs && timeUnixMs <= toUnixMs,
    );
    if (items.length > 0) yield items;
    onDropped?.(batch.dropped);
    for (const notice of batch.notices ?? []) onNotice?.(notice);
  }
}

// OpenTelemetry's serializer writes some 64-bit integers as numbers, which the mapping takes as well,
// but readers that know only doubles do not. A quote within a text is escaped: this finds keys only.
function line(body: Uint8Array): string {
  const json = Buffer.from(body)
    .toString('utf8')
    .replace(/"(intValue|count|zeroCount)":(-?\d+)/g, '"$1":"$2"')
    .replace(/"bucketCounts":\[([\d,]+)\]/g, (_, counts: string) => {
      return `"bucketCounts":["${counts.replaceAll(',', '","')}"]`;
    });
  return `${json}\n`;
}
