import { describe, expect, test } from 'vitest';
import { otlpJsonLines } from '../../../src/exporter/file/otlp-json.ts';
import type { DropCounts } from '../../../src/exporter/otlp/batch.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import { fakeSample, mib, startUnixMs } from '../../support/fake-sample.ts';
import { goldenRecording } from '../../support/golden-recording.ts';
import { decodeJsonLogs, decodeJsonRequest, type WirePoint } from '../../support/otlp-wire.ts';

const lines = [...otlpJsonLines(goldenRecording())];

function pointsOf(some: readonly string[]): WirePoint[] {
  return some
    .filter((line) => line.startsWith('{"resourceMetrics":'))
    .flatMap((line) => decodeJsonRequest(Buffer.from(line)).points);
}

function valuesOf(some: readonly string[], metric: string): [bigint, unknown][] {
  return pointsOf(some)
    .filter((point) => point.metric === metric)
    .map(({ timeNanos, value }) => [timeNanos, value]);
}

describe('lines', () => {
  test('each is one request, of metrics or of logs, and ends where it ends', () => {
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      expect(line).toMatch(/^\{"resource(Metrics|Logs)":.*\}\n$/);
      expect(Object.keys(JSON.parse(line))).toHaveLength(1);
      // A receiver reads a line whole.
      expect(line.length).toBeLessThan(2_000_000);
    }
  });

  test('every sample is there, at its own time', () => {
    const values = valuesOf(lines, 'headroom.memory.working_set');
    expect(values).toHaveLength(101);
    // golden-recording.ts, second 30, after ten minutes of standby.
    expect(values[30]).toEqual([BigInt(startUnixMs + 630_000) * 1_000_000n, BigInt(250 * mib)]);
  });

  test('the kill is a log record', () => {
    const logs = lines.filter((line) => line.startsWith('{"resourceLogs":'));
    const records = logs.flatMap((line) => decodeJsonLogs(Buffer.from(line)).records);
    expect(records.map(({ eventName }) => eventName)).toEqual(
      expect.arrayContaining(['session.start', 'headroom.oom.kill', 'session.end']),
    );
  });
});

describe('numbers (case 084)', () => {
  test('64-bit integers are decimal strings, in points, histograms and attributes', () => {
    const text = [...otlpJsonLines(goldenRecording(), { exponential: true })].join('');
    // Of opentelemetry-proto all fields of 64 bits that are here.
    const fields =
      /"(asInt|intValue|count|zeroCount|timeUnixNano|startTimeUnixNano|observedTimeUnixNano)":([^,}\]]*)/g;
    const values = [...text.matchAll(fields)].map(([, , value]) => value);
    expect(values.length).toBeGreaterThan(1000);
    expect(values.filter((value) => !/^"-?\d+"$/.test(value ?? ''))).toEqual([]);
    const buckets = [...text.matchAll(/"bucketCounts":\[([^\]]*)\]/g)].map(([, counts]) => counts);
    expect(buckets.length).toBeGreaterThan(0);
    expect(buckets.filter((counts) => !/^("\d+"(,"\d+")*)?$/.test(counts ?? 'x'))).toEqual([]);
  });

  test('what is no exact integer is left out and counted', () => {
    const counts: DropCounts[] = [];
    const recording = fakeRecording({
      samples: [
        fakeSample({ second: 0, machine: { totalBytes: 2 ** 53, cachedBytes: Number.NaN } }),
      ],
    });
    const some = [...otlpJsonLines(recording, { onDropped: (dropped) => counts.push(dropped) })];
    expect(some.join('')).not.toMatch(/NaN|9007199254740992/);
    expect(counts.reduce((sum, { not_exact = 0 }) => sum + not_exact, 0)).toBeGreaterThan(1);
    for (const line of some) JSON.parse(line);
  });

  test('a text that looks like a field stays as it is', () => {
    const odd = '"intValue":5';
    const recording = fakeRecording({
      samples: [fakeSample({ second: 0 })],
      facts: { labels: { odd } },
    });
    const [point] = pointsOf([...otlpJsonLines(recording)]);
    expect(point?.attributes['headroom.label.odd']).toBe(odd);
  });
});

describe('a part of a recording', () => {
  test('has its own samples, and counters from the start of the recording', () => {
    const range = { fromUnixMs: startUnixMs + 640_000, toUnixMs: startUnixMs + 650_000 };
    const part = [...otlpJsonLines(goldenRecording(), { range })];
    const stall = valuesOf(part, 'headroom.pressure.stall.time');
    const whole = valuesOf(lines, 'headroom.pressure.stall.time');
    expect(stall.length).toBeGreaterThan(0);
    expect(whole).toEqual(expect.arrayContaining(stall));
    const times = pointsOf(part).map(({ timeNanos }) => timeNanos);
    expect(
      times.every((at) => at >= 1_795_961_440_000_000_000n && at <= 1_795_961_450_000_000_000n),
    ).toBe(true);
  });
});
