import { ValueType } from '@opentelemetry/api';
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type MetricData,
  type ExponentialHistogram as OtlpExponentialHistogram,
  type Histogram as OtlpHistogram,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { headroomVersion } from '../../model/version.ts';
import type { ExponentialHistogram, Histogram } from '../histogram.ts';
import type { MetricDefinition } from '../metric-definition.ts';
import type { Point } from './session-points.ts';

type WireValue = number | OtlpHistogram | OtlpExponentialHistogram;

export type OtlpEncoding = 'protobuf' | 'json';

/**
 * An OTLP ExportMetricsServiceRequest (opentelemetry-proto, collector/metrics/v1) with these points
 * of one session, at the times they carry.
 */
export function serializePoints(
  points: readonly Point[],
  resource: Readonly<Record<string, string>>,
  encoding: OtlpEncoding,
): Uint8Array {
  const serializer = encoding === 'json' ? JsonMetricsSerializer : ProtobufMetricsSerializer;
  const body = serializer.serializeRequest(toResourceMetrics(points, resource, encoding));
  if (body === undefined) throw new TypeError('the OTLP serializer gave no body');
  return body;
}

/**
 * Whether the value arrives as it is: no NaN and no infinity (backends refuse the whole request for
 * one), no integer that was or would be rounded (OpenTelemetry's protobuf writer takes JavaScript
 * numbers, exact up to 2^53).
 */
export function isExact(point: Point, encoding: OtlpEncoding): boolean {
  const { value } = point;
  if (typeof value === 'bigint') {
    return encoding === 'json' || Number.isSafeInteger(Number(value));
  }
  if (typeof value === 'object') {
    const numbers = [value.sum, value.min ?? 0, value.max ?? 0];
    return numbers.every(Number.isFinite) && Number.isSafeInteger(value.count);
  }
  return point.series.metric.valueType === 'int'
    ? Number.isSafeInteger(value)
    : Number.isFinite(value);
}

function toResourceMetrics(
  points: readonly Point[],
  resource: Readonly<Record<string, string>>,
  encoding: OtlpEncoding,
): ResourceMetrics {
  const byMetric = new Map<MetricDefinition, DataPoint<WireValue>[]>();
  for (const point of points) {
    const { metric } = point.series;
    const dataPoints = byMetric.get(metric);
    if (dataPoints === undefined) byMetric.set(metric, [toDataPoint(point, encoding)]);
    else dataPoints.push(toDataPoint(point, encoding));
  }
  return {
    resource: resourceFromAttributes(resource),
    scopeMetrics: [
      {
        scope: { name: 'headroom', version: headroomVersion },
        metrics: [...byMetric].map(([metric, dataPoints]) => toMetricData(metric, dataPoints)),
      },
    ],
  };
}

// A metric has points of the one sort that its instrument says.
const dataPointTypes = {
  gauge: DataPointType.GAUGE,
  updowncounter: DataPointType.SUM,
  counter: DataPointType.SUM,
  histogram: DataPointType.HISTOGRAM,
  exponential_histogram: DataPointType.EXPONENTIAL_HISTOGRAM,
};

function toMetricData(metric: MetricDefinition, dataPoints: DataPoint<WireValue>[]): MetricData {
  return {
    descriptor: {
      name: metric.name,
      description: metric.help,
      unit: metric.unit,
      valueType: metric.valueType === 'int' ? ValueType.INT : ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: dataPointTypes[metric.instrument],
    isMonotonic: metric.instrument === 'counter',
    dataPoints,
  } as MetricData;
}

function toDataPoint(point: Point, encoding: OtlpEncoding): DataPoint<WireValue> {
  return {
    startTime: toHrTime(point.startUnixMs),
    endTime: toHrTime(point.timeUnixMs),
    attributes: point.series.attributes,
    value: wireValue(point, encoding),
  };
}

// The JSON mapping wants 64-bit integers as decimal strings (protobuf, "JSON Mapping"), and
// OpenTelemetry's JSON serializer writes what it is given; it is given the string.
function wireValue({ series, value }: Point, encoding: OtlpEncoding): WireValue {
  if (typeof value === 'object') return histogramValue(value);
  if (encoding === 'json' && series.metric.valueType === 'int') {
    return BigInt(value).toString() as unknown as number;
  }
  return Number(value);
}

function histogramValue(value: Histogram | ExponentialHistogram): WireValue {
  const { count, sum } = value;
  const common = {
    count,
    sum,
    ...(value.min === null ? {} : { min: value.min }),
    ...(value.max === null ? {} : { max: value.max }),
  };
  if (value.kind === 'explicit') {
    return { ...common, buckets: { boundaries: [...value.bounds], counts: [...value.counts] } };
  }
  return {
    ...common,
    scale: value.scale,
    zeroCount: value.zeroCount,
    positive: { offset: value.offset, bucketCounts: value.counts },
    negative: { offset: 0, bucketCounts: [] },
  };
}

export function toHrTime(unixMs: number): [number, number] {
  const seconds = Math.floor(unixMs / 1000);
  return [seconds, Math.round((unixMs - seconds * 1000) * 1e6)];
}
