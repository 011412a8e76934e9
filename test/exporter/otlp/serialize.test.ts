import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ExponentialHistogram, Histogram } from '../../../src/exporter/histogram.ts';
import type { MetricDefinition } from '../../../src/exporter/metric-definition.ts';
import { isExact, serializePoints } from '../../../src/exporter/otlp/serialize.ts';
import type { Point } from '../../../src/exporter/otlp/session-points.ts';
import { emptyUtilization } from '../../../src/exporter/utilization-histogram.ts';
import { headroomVersion } from '../../../src/model/version.ts';
import { caseJson } from '../../support/cases.ts';
import { decodeJsonRequest, decodeProtobufRequest } from '../../support/otlp-wire.ts';

const bytes: MetricDefinition = {
  name: 'test.memory',
  instrument: 'updowncounter',
  unit: 'By',
  valueType: 'int',
  help: 'Memory.',
  stability: 'own',
};
const ratio: MetricDefinition = {
  ...bytes,
  name: 'test.share',
  instrument: 'gauge',
  unit: '1',
  valueType: 'double',
};
const kills: MetricDefinition = {
  ...bytes,
  name: 'test.kills',
  instrument: 'counter',
  unit: '{kill}',
};

const startUnixMs = 1_795_960_800_000;
const encodings = [
  ['protobuf', decodeProtobufRequest],
  ['json', decodeJsonRequest],
] as const;

describe.each(encodings)('as %s', (encoding, decode) => {
  const send = (points: Point[], resource = {}) =>
    decode(serializePoints(points, resource, encoding));

  test('many points of a series keep their own stored times, to the nanosecond', () => {
    const points = [0, 1, 2].map((second) =>
      pointOf(bytes, 100 + second, { timeUnixMs: startUnixMs + 1 + second * 1000 }),
    );
    expect(send(points).points).toEqual(
      [0n, 1n, 2n].map((second) => ({
        metric: 'test.memory',
        unit: 'By',
        description: 'Memory.',
        kind: 'sum',
        isMonotonic: false,
        temporality: 'cumulative',
        attributes: { 'session.id': 's-1' },
        startNanos: 1_795_960_800_000_000_000n,
        timeNanos: 1_795_960_800_001_000_000n + second * 1_000_000_000n,
        value: 100n + second,
      })),
    );
  });

  test('each instrument is what it is called', () => {
    const { points } = send([pointOf(bytes, 1), pointOf(ratio, 0.25), pointOf(kills, 2)]);
    expect(
      points.map(({ metric, kind, isMonotonic, value }) => ({ metric, kind, isMonotonic, value })),
    ).toEqual([
      { metric: 'test.memory', kind: 'sum', isMonotonic: false, value: 1n },
      { metric: 'test.share', kind: 'gauge', isMonotonic: false, value: 0.25 },
      { metric: 'test.kills', kind: 'sum', isMonotonic: true, value: 2n },
    ]);
  });

  test('histograms arrive with their buckets', () => {
    const explicit: Histogram = {
      kind: 'explicit',
      bounds: [0.5, 1],
      counts: [3000, 0, 250],
      count: 3250,
      sum: 1750.25,
      min: 0.25,
      max: 1.001,
    };
    const exponential: ExponentialHistogram = {
      kind: 'exponential',
      scale: 3,
      offset: -7,
      counts: [1, 0, 70_000],
      zeroCount: 5,
      count: 70_006,
      sum: 12.5,
      min: 0,
      max: 0.75,
    };
    const { points } = send([
      pointOf({ ...ratio, instrument: 'histogram' }, explicit),
      pointOf({ ...ratio, name: 'test.other', instrument: 'exponential_histogram' }, exponential),
    ]);
    const { kind: _, ...first } = explicit;
    const { kind: __, ...second } = exponential;
    expect(points).toMatchObject([
      { kind: 'histogram', temporality: 'cumulative', value: first },
      { kind: 'exponential', temporality: 'cumulative', value: second },
    ]);
  });

  test('a histogram of nothing has no least and no largest value', () => {
    const { points } = send([pointOf({ ...ratio, instrument: 'histogram' }, emptyUtilization)]);
    expect(points[0]?.value).toMatchObject({ count: 0, sum: 0, min: null, max: null });
  });

  test('resource and scope say who speaks', () => {
    const request = send([pointOf(bytes, 1)], { 'service.name': 'browsers', 'host.name': 'vm' });
    expect(request.resource).toEqual({ 'service.name': 'browsers', 'host.name': 'vm' });
    expect(request.scope).toEqual({ name: 'headroom', version: headroomVersion });
  });

  test('text of any kind arrives as well-formed text', () => {
    const value = 'été 🦊 "\\\n\u0000';
    expect(send([pointOf(bytes, 1)], { label: value }).resource).toEqual({ label: value });
  });

  test('every exact integer and every finite number arrives as it is', () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 0, max: 4_102_444_800_000 }),
        (integer, number, timeUnixMs) => {
          const { points } = send([
            pointOf(bytes, integer, { timeUnixMs }),
            pointOf(ratio, number, { timeUnixMs }),
          ]);
          const [first, second] = points;
          expect(first?.value).toBe(BigInt(integer));
          // JSON has no −0.
          expect(Object.is(second?.value, number) || (number === 0 && second?.value === 0)).toBe(
            true,
          );
          expect(first?.timeNanos).toBe(BigInt(timeUnixMs) * 1_000_000n);
        },
      ),
    );
  });
});

describe('case 084: numbers', () => {
  const texts = caseJson<string[]>('084-otlp-json-numbers/points.json');

  test('NaN and infinity do not leave, the rest parses strictly and large integers are exact', () => {
    const points = texts.map((text) =>
      /^-?\d{2,}$/.test(text) ? pointOf(bytes, BigInt(text)) : pointOf(ratio, Number(text)),
    );
    const exact = points.filter((point) => isExact(point, 'json'));
    expect(exact).toHaveLength(texts.length - 2);
    const body = serializePoints(exact, {}, 'json');
    expect(decodeJsonRequest(body).points.map((point) => point.value)).toEqual([
      1_554_718_408_704n,
      9_007_199_254_740_993n,
      // A JSON parser reads -0 as 0 or -0.
      expect.closeTo(0),
      2.5,
    ]);
    expect(Buffer.from(body).toString()).toContain('"asInt":"9007199254740993"');
    expect(Buffer.from(body).toString()).not.toMatch(/NaN|Infinity|null/);
  });

  test('what protobuf cannot carry exactly is left out, not rounded', () => {
    const large = pointOf(bytes, 9_007_199_254_740_993n);
    expect(isExact(large, 'protobuf')).toBe(false);
    expect(isExact(pointOf(bytes, 9_007_199_254_740_991n), 'protobuf')).toBe(true);
    expect(isExact(pointOf(bytes, 2 ** 53), 'protobuf')).toBe(false);
    const histogram = { ...emptyUtilization, sum: Number.NaN };
    expect(isExact(pointOf(ratio, emptyUtilization), 'json')).toBe(true);
    expect(isExact(pointOf(ratio, histogram), 'json')).toBe(false);
  });
});

function pointOf(
  metric: MetricDefinition,
  value: Point['value'],
  parts: Partial<Point> = {},
): Point {
  const series = { metric, attributes: { 'session.id': 's-1' } };
  return { series, value, startUnixMs, timeUnixMs: startUnixMs, ...parts };
}
