import { describe, expect, test } from 'vitest';
import type { EventRecord } from '../../../src/exporter/otlp/event-record.ts';
import { serializeEvents } from '../../../src/exporter/otlp/serialize-events.ts';
import { decodeJsonLogs, decodeProtobufLogs } from '../../support/otlp-wire.ts';

const kill: EventRecord = {
  name: 'headroom.oom.kill',
  timeUnixMs: 1_795_960_800_001,
  observedUnixMs: 1_795_960_801_000,
  severity: 'ERROR',
  body: 'the kernel killed renderer 110',
  attributes: {
    'log.record.uid': 's-1-3',
    'process.pid': 110,
    'headroom.oom.victim.memory': 5_000_000_000,
    'headroom.session.duration': 2.5,
  },
};

describe.each([
  ['protobuf', decodeProtobufLogs],
  ['json', decodeJsonLogs],
] as const)('as %s', (encoding, decode) => {
  test('name, both times, severity, text and attributes arrive', () => {
    expect(decode(serializeEvents([kill], { 'service.name': 'headroom' }, encoding))).toEqual({
      resource: { 'service.name': 'headroom' },
      records: [
        {
          eventName: 'headroom.oom.kill',
          timeNanos: 1_795_960_800_001_000_000n,
          observedNanos: 1_795_960_801_000_000_000n,
          severityNumber: 17,
          severityText: 'ERROR',
          body: 'the kernel killed renderer 110',
          attributes: kill.attributes,
        },
      ],
    });
  });

  test('many records are one request', () => {
    const records = Array.from({ length: 100 }, () => kill);
    expect(decode(serializeEvents(records, {}, encoding)).records).toHaveLength(100);
  });
});
