/**
 * Reads an OTLP ExportMetricsServiceRequest off the wire (opentelemetry-proto v1: collector/metrics/v1,
 * metrics/v1, common/v1), by its own reading of the encoding (protobuf.dev/programming-guides/encoding).
 */
export interface WirePoint {
  metric: string;
  unit: string;
  description: string;
  kind: 'gauge' | 'sum';
  isMonotonic: boolean;
  temporality: 'cumulative' | 'delta' | 'none';
  attributes: Record<string, string>;
  startNanos: bigint;
  timeNanos: bigint;
  value: number | bigint;
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
  const gauge = all(metric, 5)[0];
  const data = fieldsOf((gauge ?? only(metric, 7)).bytes);
  return all(data, 1).map((one) => {
    const point = fieldsOf(one.bytes);
    const asDouble = all(point, 4)[0];
    return {
      metric: text(metric, 1),
      description: text(metric, 2),
      unit: text(metric, 3),
      kind: gauge === undefined ? 'sum' : 'gauge',
      isMonotonic: gauge === undefined && all(data, 3)[0]?.varint === 1n,
      temporality: gauge === undefined ? temporalityOf(Number(only(data, 2).varint)) : 'none',
      attributes: attributesOf(point, 7),
      startNanos: only(point, 2).bytes.readBigUInt64LE(),
      timeNanos: only(point, 3).bytes.readBigUInt64LE(),
      value: asDouble?.bytes.readDoubleLE() ?? only(point, 6).bytes.readBigInt64LE(),
    };
  });
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
}

interface JsonPoint {
  attributes: { key: string; value: { stringValue: string } }[];
  startTimeUnixNano: string;
  timeUnixNano: string;
  asInt?: string;
  asDouble?: number;
}

function jsonPoints(metric: JsonMetric): WirePoint[] {
  const { sum } = metric;
  return (
    (metric.gauge ?? sum)?.dataPoints.map((point) => {
      if (point.asInt !== undefined && typeof point.asInt !== 'string') {
        throw new Error('asInt is not a string');
      }
      return {
        metric: metric.name,
        unit: metric.unit,
        description: metric.description,
        kind: sum === undefined ? 'gauge' : 'sum',
        isMonotonic: sum?.isMonotonic ?? false,
        temporality: sum === undefined ? 'none' : temporalityOf(sum.aggregationTemporality),
        attributes: jsonAttributes(point.attributes),
        startNanos: BigInt(point.startTimeUnixNano),
        timeNanos: BigInt(point.timeUnixNano),
        value: point.asInt === undefined ? (point.asDouble ?? Number.NaN) : BigInt(point.asInt),
      };
    }) ?? []
  );
}

function jsonAttributes(list: JsonPoint['attributes']): Record<string, string> {
  return Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue]));
}
