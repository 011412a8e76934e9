import { JsonLogsSerializer, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { headroomVersion } from '../../model/version.ts';
import type { EventRecord } from './event-record.ts';
import type { OtlpEncoding } from './serialize.ts';
import { toHrTime } from './serialize.ts';

type OtlpLogRecord = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0][number];

// OTLP data model, "SeverityNumber".
const severityNumbers = { INFO: 9, WARN: 13, ERROR: 17 };
const scope = { name: 'headroom', version: headroomVersion };

/** An OTLP ExportLogsServiceRequest (opentelemetry-proto, collector/logs/v1) with these events. */
export function serializeEvents(
  records: readonly EventRecord[],
  attributes: Readonly<Record<string, string>>,
  encoding: OtlpEncoding,
): Uint8Array {
  const serializer = encoding === 'json' ? JsonLogsSerializer : ProtobufLogsSerializer;
  const resource = resourceFromAttributes(attributes);
  const body = serializer.serializeRequest(records.map((record) => toLogRecord(record, resource)));
  if (body === undefined) throw new TypeError('the OTLP serializer gave no body');
  return body;
}

function toLogRecord(record: EventRecord, resource: OtlpLogRecord['resource']): OtlpLogRecord {
  return {
    hrTime: toHrTime(record.timeUnixMs),
    hrTimeObserved: toHrTime(record.observedUnixMs),
    severityNumber: severityNumbers[record.severity],
    severityText: record.severity,
    eventName: record.name,
    body: record.body,
    attributes: record.attributes,
    droppedAttributesCount: 0,
    resource,
    instrumentationScope: scope,
  };
}
