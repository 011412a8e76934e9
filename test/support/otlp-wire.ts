/**
 * Reads an OTLP ExportMetricsServiceRequest off the wire (opentelemetry-proto v1: collector/metrics/v1,
 * metrics/v1, common/v1), by its own reading of the encoding (protobuf.dev/programming-guides/encoding).
 */
export interface WirePoint {
  metric: string;
  unit: string;
  description: string;
  kind: 'gauge' | 'sum' | 'histogram' | 'exponential';
  isMonotonic: boolean;
  temporality: 'cumulative' | 'delta' | 'none';
  attributes: Record<string, string>;
  startNanos: bigint;
  timeNanos: bigint;
  value: number | bigint | WireHistogram;
}

export interface WireHistogram {
  count: number;
  sum: number;
  min: number | null;
  max: number | null;
  counts: number[];
  /** Explicit ones only. */
  bounds?: number[];
  /** Exponential ones only. */
  scale?: number;
  offset?: number;
  zeroCount?: number;
}

export interface WireRequest {
  resource: Record<string, string>;
  scope: { name: string; version: string };
  points: WirePoint[];
}

interface Field {
  number: number;
  varint: bigint;
  bytes: Buffer;
}

export function decodeProtobufRequest(body: Uint8Array): WireRequest {
  const resourceMetrics = only(fieldsOf(Buffer.from(body)), 1).bytes;
  const parts = fieldsOf(resourceMetrics);
  const scopeMetrics = fieldsOf(only(parts, 2).bytes);
  const scope = fieldsOf(only(scopeMetrics, 1).bytes);
  return {
    resource: attributesOf(fieldsOf(only(parts, 1).bytes), 1),
    scope: { name: text(scope, 1), version: text(scope, 2) },
    points: all(scopeMetrics, 2).flatMap((metric) => metricPoints(fieldsOf(metric.bytes))),
  };
}

/** The JSON mapping of the same message. */
export function decodeJsonRequest(body: Uint8Array): WireRequest {
  const [resourceMetrics] = JSON.parse(Buffer.from(body).toString()).resourceMetrics;
  const [scopeMetrics] = resourceMetrics.scopeMetrics;
  return {
    resource: jsonAttributes(resourceMetrics.resource.attributes),
    scope: scopeMetrics.scope,
    points: scopeMetrics.metrics.flatMap((metric: JsonMetric) => jsonPoints(metric)),
  };
}

/** An ExportLogsServiceRequest (collector/logs/v1, logs/v1). */
export interface WireLogs {
  resource: Record<string, string>;
  records: WireRecord[];
}

export interface WireRecord {
  eventName: string;
  timeNanos: bigint;
  observedNanos: bigint;
  severityNumber: number;
  severityText: string;
  body: string;
  attributes: Record<string, string | number>;
}

export function decodeProtobufLogs(body: Uint8Array): WireLogs {
  const parts = fieldsOf(only(fieldsOf(Buffer.from(body)), 1).bytes);
  return {
    resource: attributesOf(fieldsOf(only(parts, 1).bytes), 1),
    records: all(fieldsOf(only(parts, 2).bytes), 2).map(({ bytes }) => {
      const record = fieldsOf(bytes);
      return {
        timeNanos: only(record, 1).bytes.readBigUInt64LE(),
        observedNanos: only(record, 11).bytes.readBigUInt64LE(),
        severityNumber: Number(only(record, 2).varint),
        severityText: text(record, 3),
        body: text(fieldsOf(only(record, 5).bytes), 1),
        attributes: valuesOf(record, 6),
        eventName: text(record, 12),
      };
    }),
  };
}

export function decodeJsonLogs(body: Uint8Array): WireLogs {
  const [resourceLogs] = JSON.parse(Buffer.from(body).toString()).resourceLogs;
  const [scopeLogs] = resourceLogs.scopeLogs;
  return {
    resource: jsonAttributes(resourceLogs.resource.attributes),
    records: scopeLogs.logRecords.map((record: JsonRecord) => ({
      timeNanos: BigInt(record.timeUnixNano),
      observedNanos: BigInt(record.observedTimeUnixNano),
      severityNumber: record.severityNumber,
      severityText: record.severityText,
      body: record.body.stringValue,
      attributes: Object.fromEntries(
        record.attributes.map(({ key, value }) => [
          key,
          value.stringValue ?? Number(value.intValue ?? value.doubleValue),
        ]),
      ),
      eventName: record.eventName,
    })),
  };
}

function metricPoints(metric: Field[]): WirePoint[] {
  const [sort] = metric.filter(({ number }) => number in kinds);
  if (sort === undefined) throw new Error('a metric without data');
  const { kind, attributes } = kinds[sort.number as keyof typeof kinds];
  const data = fieldsOf(sort.bytes);
  return all(data, 1).map((one) => {
    const point = fieldsOf(one.bytes);
    return {
      metric: text(metric, 1),
      description: text(metric, 2),
      unit: text(metric, 3),
      kind,
      isMonotonic: kind === 'sum' && all(data, 3)[0]?.varint === 1n,
      temporality: kind === 'gauge' ? 'none' : temporalityOf(Number(only(data, 2).varint)),
      attributes: attributesOf(point, attributes),
      startNanos: only(point, 2).bytes.readBigUInt64LE(),
      timeNanos: only(point, 3).bytes.readBigUInt64LE(),
      value: pointValue(point, kind),
    };
  });
}

// The field of a Metric that has its data, and that of the attributes in each of its points.
const kinds = {
  5: { kind: 'gauge', attributes: 7 },
  7: { kind: 'sum', attributes: 7 },
  9: { kind: 'histogram', attributes: 9 },
  10: { kind: 'exponential', attributes: 1 },
} as const;

function pointValue(point: Field[], kind: WirePoint['kind']): WirePoint['value'] {
  if (kind === 'histogram') {
    return {
      count: fixed(point, 4),
      sum: double(point, 5) ?? Number.NaN,
      min: double(point, 11),
      max: double(point, 12),
      counts: packed(point, 6, (bytes, at) => Number(bytes.readBigUInt64LE(at))),
      bounds: packed(point, 7, (bytes, at) => bytes.readDoubleLE(at)),
    };
  }
  if (kind === 'exponential') {
    const positive = fieldsOf(only(point, 8).bytes);
    return {
      count: fixed(point, 4),
      sum: double(point, 5) ?? Number.NaN,
      min: double(point, 12),
      max: double(point, 13),
      scale: zigzag(all(point, 6)[0]?.varint ?? 0n),
      zeroCount: fixed(point, 7),
      offset: zigzag(all(positive, 1)[0]?.varint ?? 0n),
      counts: varints(only(positive, 2).bytes),
    };
  }
  return double(point, 4) ?? only(point, 6).bytes.readBigInt64LE();
}

function double(fields: Field[], number: number): number | null {
  return all(fields, number)[0]?.bytes.readDoubleLE() ?? null;
}

function fixed(fields: Field[], number: number): number {
  return Number(all(fields, number)[0]?.bytes.readBigUInt64LE() ?? 0n);
}

/** Eight bytes each, in one field or in many. */
function packed(
  fields: Field[],
  number: number,
  read: (bytes: Buffer, at: number) => number,
): number[] {
  return all(fields, number).flatMap(({ bytes }) =>
    Array.from({ length: bytes.length / 8 }, (_, index) => read(bytes, index * 8)),
  );
}

function varints(bytes: Buffer): number[] {
  const values: number[] = [];
  let value = 0n;
  let shift = 0n;
  for (const byte of bytes) {
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte >= 0x80) continue;
    values.push(Number(value));
    value = 0n;
    shift = 0n;
  }
  return values;
}

function zigzag(value: bigint): number {
  return Number((value >> 1n) ^ -(value & 1n));
}

function temporalityOf(value: number): 'cumulative' | 'delta' | 'none' {
  return value === 2 ? 'cumulative' : value === 1 ? 'delta' : 'none';
}

function attributesOf(fields: Field[], number: number): Record<string, string> {
  return Object.fromEntries(
    all(fields, number).map(({ bytes }) => {
      const pair = fieldsOf(bytes);
      return [text(pair, 1), text(fieldsOf(only(pair, 2).bytes), 1)];
    }),
  );
}

// Of an AnyValue: 1 a text, 3 an integer, 4 a double.
function valuesOf(fields: Field[], number: number): Record<string, string | number> {
  return Object.fromEntries(
    all(fields, number).map(({ bytes }) => {
      const pair = fieldsOf(bytes);
      const value = fieldsOf(only(pair, 2).bytes);
      const integer = all(value, 3)[0];
      const double = all(value, 4)[0];
      if (double !== undefined) return [text(pair, 1), double.bytes.readDoubleLE()];
      return [text(pair, 1), integer === undefined ? text(value, 1) : Number(integer.varint)];
    }),
  );
}

function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const field: Field = { number: tag >> 3, varint: 0n, bytes: Buffer.alloc(0) };
    const wireType = tag & 7;
    if (wireType === 0) {
      field.varint = varint();
    } else if (wireType === 1 || wireType === 2) {
      const length = wireType === 1 ? 8 : Number(varint());
      if (at + length > bytes.length) throw new Error('a field is longer than its message');
      field.bytes = bytes.subarray(at, at + length);
      at += length;
    } else {
      throw new Error(`wire type ${wireType}`);
    }
    fields.push(field);
  }
  return fields;
}

function all(fields: Field[], number: number): Field[] {
  return fields.filter((field) => field.number === number);
}

function only(fields: Field[], number: number): Field {
  const [field, more] = all(fields, number);
  if (field === undefined || more !== undefined)
    throw new Error(`field ${number} is not there once`);
  return field;
}

function text(fields: Field[], number: number): string {
  return all(fields, number)[0]?.bytes.toString() ?? '';
}

interface JsonRecord {
  timeUnixNano: string;
  observedTimeUnixNano: string;
  severityNumber: number;
  severityText: string;
  body: { stringValue: string };
  attributes: {
    key: string;
    value: { stringValue?: string; intValue?: number | string; doubleValue?: number };
  }[];
  eventName: string;
}

interface JsonMetric {
  name: string;
  unit: string;
  description: string;
  gauge?: { dataPoints: JsonPoint[] };
  sum?: { dataPoints: JsonPoint[]; isMonotonic: boolean; aggregationTemporality: number };
  histogram?: { dataPoints: JsonPoint[]; aggregationTemporality: number };
  exponentialHistogram?: { dataPoints: JsonPoint[]; aggregationTemporality: number };
}

interface JsonPoint {
  attributes: { key: string; value: { stringValue: string } }[];
  startTimeUnixNano: string;
  timeUnixNano: string;
  asInt?: string;
  asDouble?: number;
  count?: number | string;
  sum?: number;
  min?: number;
  max?: number;
  bucketCounts?: (number | string)[];
  explicitBounds?: number[];
  scale?: number;
  zeroCount?: number | string;
  positive?: { offset: number; bucketCounts: (number | string)[] };
}

function jsonPoints(metric: JsonMetric): WirePoint[] {
  const { gauge, sum, histogram, exponentialHistogram } = metric;
  const cumulative = sum ?? histogram ?? exponentialHistogram;
  const kind = gauge ? 'gauge' : sum ? 'sum' : histogram ? 'histogram' : 'exponential';
  return (
    (gauge ?? cumulative)?.dataPoints.map((point) => {
      if (point.asInt !== undefined && typeof point.asInt !== 'string') {
        throw new Error('asInt is not a string');
      }
      return {
        metric: metric.name,
        unit: metric.unit,
        description: metric.description,
        kind,
        isMonotonic: sum?.isMonotonic ?? false,
        temporality:
          cumulative === undefined ? 'none' : temporalityOf(cumulative.aggregationTemporality),
        attributes: jsonAttributes(point.attributes),
        startNanos: BigInt(point.startTimeUnixNano),
        timeNanos: BigInt(point.timeUnixNano),
        value: jsonValue(point),
      };
    }) ?? []
  );
}

function jsonValue(point: JsonPoint): WirePoint['value'] {
  const { asInt, asDouble, count, positive } = point;
  if (asInt !== undefined) return BigInt(asInt);
  if (count === undefined) return asDouble ?? Number.NaN;
  const common = {
    count: Number(count),
    sum: point.sum ?? Number.NaN,
    min: point.min ?? null,
    max: point.max ?? null,
    counts: (positive?.bucketCounts ?? point.bucketCounts ?? []).map(Number),
  };
  return positive === undefined
    ? { ...common, bounds: point.explicitBounds ?? [] }
    : {
        ...common,
        scale: point.scale ?? Number.NaN,
        offset: positive.offset,
        zeroCount: Number(point.zeroCount),
      };
}

function jsonAttributes(list: JsonPoint['attributes']): Record<string, string> {
  return Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue]));
}
