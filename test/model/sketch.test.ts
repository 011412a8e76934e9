import {
  AggregationTemporality,
  AggregationType,
  type ExponentialHistogram,
  MeterProvider,
  MetricReader,
} from '@opentelemetry/sdk-metrics';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HeadroomError } from '../../src/model/errors.ts';
import { Sketch, type SketchTotals } from '../../src/model/sketch.ts';
import { exactPercentile, type Weighted } from '../support/exact-percentile.ts';

const anyValue = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: Number.MAX_VALUE, noNaN: true }),
  fc.integer({ min: 0, max: 2 ** 40 }),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const weight = fc.integer({ min: 1, max: 120_000 });
const anyWeighted = fc.array(fc.record({ value: anyValue, weight }), { maxLength: 200 });

function sketchOf(values: readonly Weighted[]): Sketch {
  const sketch = new Sketch();
  for (const { value, weight } of values) sketch.add(value, weight);
  return sketch;
}

describe('totals', () => {
  test('of nothing', () => {
    const sketch = new Sketch();
    expect([sketch.count, sketch.sum, sketch.min, sketch.max]).toEqual([0, 0, null, null]);
    expect(sketch.quantile(0.5)).toBeNull();
    expect(sketch.buckets()).toEqual({ scale: 7, offset: 0, counts: [], zeroCount: 0 });
  });

  test('are exact', () => {
    const sketch = sketchOf([
      { value: 300, weight: 3600 },
      { value: 900, weight: 6 },
      { value: 0, weight: 4 },
    ]);
    expect(sketch.count).toBe(3610);
    expect(sketch.sum).toBe(300 * 3600 + 900 * 6);
    expect([sketch.min, sketch.max]).toEqual([0, 900]);
    expect(sketch.buckets().zeroCount).toBe(4);
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('refuses the value %d', (value) =>
    expect(() => new Sketch().add(value)).toThrow(RangeError),
  );

  test.each([0, -1, 1.5, Number.NaN])('refuses the weight %d', (weight) => {
    expect(() => new Sketch().add(1, weight)).toThrow(RangeError);
  });

  test.each([-0.1, 1.1, Number.NaN])('refuses the quantile %d', (q) => {
    expect(() => new Sketch().quantile(q)).toThrow(RangeError);
  });
});

describe('quantiles', () => {
  test('one value is every quantile', () => {
    const sketch = sketchOf([{ value: 314_572_800, weight: 60_000 }]);
    expect([0, 0.5, 0.95, 1].map((q) => sketch.quantile(q))).toEqual(Array(4).fill(314_572_800));
  });

  test('are weighted, not counted (case 103)', () => {
    const sketch = sketchOf([
      ...Array.from({ length: 60 }, () => ({ value: 300 * 2 ** 20, weight: 60_000 })),
      ...Array.from({ length: 60 }, () => ({ value: 900 * 2 ** 20, weight: 100 })),
    ]);
    expect(Math.abs((sketch.quantile(0.95) ?? 0) / (300 * 2 ** 20) - 1)).toBeLessThan(0.011);
    expect(sketch.max).toBe(900 * 2 ** 20);
  });

  // 1.1 % holds where the largest value is at most 1000 times the smallest that is not 0.
  test.each([
    ['bytes', 2 ** 32 / 1000, 2 ** 32],
    ['ratios', 0.001, 1.02],
    ['counts', 1, 900],
  ])('are within 1.1 %% of the exact ones: %s', (_, min, max) => {
    const value = fc.oneof(fc.constant(0), fc.double({ min, max, noNaN: true }));
    const values = fc.array(fc.record({ value, weight }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, fc.constantFrom(0.5, 0.75, 0.9, 0.95, 0.99), (weighted, q) => {
        const exact = exactPercentile(weighted, q);
        expect(Math.abs((sketchOf(weighted).quantile(q) ?? 0) - exact)).toBeLessThanOrEqual(
          0.011 * exact,
        );
      }),
      { numRuns: 300 },
    );
  });

  test('never leave the range of the values, whatever that is', () => {
    fc.assert(
      fc.property(anyWeighted, fc.double({ min: 0, max: 1, noNaN: true }), (weighted, q) => {
        const sketch = sketchOf(weighted);
        const value = sketch.quantile(q);
        if (weighted.length === 0) {
          expect(value).toBeNull();
          return;
        }
        expect(value).toBeGreaterThanOrEqual(sketch.min ?? Number.NaN);
        expect(value).toBeLessThanOrEqual(sketch.max ?? Number.NaN);
      }),
    );
  });
});

describe('merging', () => {
  test('parts give the whole, in any order and grouping', () => {
    fc.assert(
      fc.property(anyWeighted, anyWeighted, anyWeighted, (a, b, c) => {
        const whole = sketchOf([...a, ...b, ...c]);
        const rest = sketchOf(c);
        rest.merge(sketchOf(a));
        const merged = sketchOf(b);
        merged.merge(rest);
        expect(merged.buckets()).toEqual(whole.buckets());
        expect([merged.count, merged.min, merged.max]).toEqual([whole.count, whole.min, whole.max]);
        // A sum of fractions depends on the order in its last bits.
        const difference = Math.abs(merged.sum - whole.sum);
        if (Number.isFinite(whole.sum)) {
          expect(difference).toBeLessThanOrEqual(1e-12 * whole.sum);
        }
      }),
    );
  });

  test('leaves the other one as it was', () => {
    const small = sketchOf([{ value: 1, weight: 5 }]);
    const other = sketchOf([{ value: 2 ** 30, weight: 7 }]);
    const before = other.encode();
    small.merge(other);
    expect(other.encode()).toEqual(before);
    expect(small.count).toBe(12);
  });
});

describe('buckets', () => {
  test('are those of the OpenTelemetry SDK', async () => {
    const values = [1, 2, 3, 4, 1000, 1024, 1025, 0.75, 512.5, 0, 0, 7, 7, 7, 640, 999.999];
    const theirs = await recordWithSdk(values);
    const ours = sketchOf(values.map((value) => ({ value, weight: 1 }))).buckets();
    expect(theirs.scale).toBeGreaterThanOrEqual(ours.scale);
    const expected = new Map<number, number>();
    theirs.positive.bucketCounts.forEach((count, at) => {
      // Each step of the scale makes one bucket of two.
      const index = (theirs.positive.offset + at) >> (theirs.scale - ours.scale);
      if (count > 0) expected.set(index, (expected.get(index) ?? 0) + count);
    });
    const actual = new Map(
      ours.counts.map((count, at) => [ours.offset + at, count] as const).filter(([, n]) => n > 0),
    );
    expect(actual).toEqual(expected);
    expect(ours.zeroCount).toBe(theirs.zeroCount);
  });

  test('a power of two is the upper end of its bucket', () => {
    expect(sketchOf([{ value: 4, weight: 1 }]).buckets()).toEqual({
      scale: 7,
      offset: 2 * 128 - 1,
      counts: [1],
      zeroCount: 0,
    });
  });

  test('get coarser only when 320 are not enough', () => {
    const scaleOf = (low: number, high: number) =>
      sketchOf([
        { value: low, weight: 1 },
        { value: high, weight: 1 },
      ]).buckets().scale;
    expect(scaleOf(1.001, 5.6)).toBe(7);
    expect(scaleOf(1.001, 31)).toBe(6);
    expect(scaleOf(1.001, 1000)).toBe(5);
    expect(scaleOf(Number.MIN_VALUE, Number.MAX_VALUE)).toBe(-3);
  });
});

describe('bytes', () => {
  test('come back as the same sketch', () => {
    fc.assert(
      fc.property(anyWeighted, (weighted) => {
        const sketch = sketchOf(weighted);
        fc.pre(sketch.count > 0 && Number.isFinite(sketch.sum));
        const again = Sketch.decode(sketch.encode(), totalsOf(sketch));
        expect(again.buckets()).toEqual(sketch.buckets());
        expect(totalsOf(again)).toEqual(totalsOf(sketch));
      }),
    );
  });

  test('merge as the sketches that they are', () => {
    fc.assert(
      fc.property(anyWeighted, anyWeighted, (a, b) => {
        const other = sketchOf(b);
        fc.pre(other.count > 0 && Number.isFinite(other.sum));
        const merged = sketchOf(a);
        merged.merge(other);
        const read = sketchOf(a);
        read.mergeEncoded(other.encode(), totalsOf(other));
        expect(read.buckets()).toEqual(merged.buckets());
        expect(totalsOf(read)).toEqual(totalsOf(merged));
      }),
    );
  });

  test('are few: a minute of an almost steady gigabyte', () => {
    const sketch = new Sketch();
    for (let second = 0; second < 60; second++) sketch.add(2 ** 30 + second * 2 ** 19, 1000);
    expect(sketch.encode().length).toBeLessThan(40);
  });

  test('of anything else are FILE_CORRUPT and nothing but that', () => {
    const anyNumber = fc.oneof(fc.double(), fc.nat(), fc.constant(null));
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 64 }),
        fc.record({ count: anyNumber, sum: anyNumber, min: anyNumber, max: anyNumber }),
        (bytes, totals) => decodesOrIsCorrupt(bytes, totals as SketchTotals),
      ),
      { numRuns: 2000 },
    );
  });

  test('with one byte changed or cut off never crash', () => {
    const sketch = sketchOf([
      { value: 0, weight: 3 },
      { value: 0.25, weight: 9 },
      { value: 123_456_789, weight: 60_000 },
    ]);
    const bytes = sketch.encode();
    for (let at = 0; at < bytes.length; at++) {
      decodesOrIsCorrupt(bytes.subarray(0, at), totalsOf(sketch));
      for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
        decodesOrIsCorrupt(bytes.with(at, value), totalsOf(sketch));
      }
    }
  });
});

function totalsOf({ count, sum, min, max }: Sketch): SketchTotals {
  return { count, sum, min: min ?? Number.NaN, max: max ?? Number.NaN };
}

function decodesOrIsCorrupt(bytes: Uint8Array, totals: SketchTotals): void {
  try {
    const sketch = Sketch.decode(bytes, totals);
    expect(sketch.count).toBe(totals.count);
    expect(sketch.quantile(0.5)).not.toBeNull();
  } catch (error) {
    expect(error).toBeInstanceOf(HeadroomError);
    expect(error).toMatchObject({ code: 'FILE_CORRUPT' });
  }
}

class OneShotReader extends MetricReader {
  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }
}

async function recordWithSdk(values: readonly number[]): Promise<ExponentialHistogram> {
  const reader = new OneShotReader({
    aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE,
    aggregationSelector: () => ({
      type: AggregationType.EXPONENTIAL_HISTOGRAM,
      options: { maxSize: 320, recordMinMax: true },
    }),
  });
  const provider = new MeterProvider({ readers: [reader] });
  const histogram = provider.getMeter('test').createHistogram('value');
  for (const value of values) histogram.record(value);
  const { resourceMetrics } = await reader.collect();
  const point = resourceMetrics.scopeMetrics[0]?.metrics[0]?.dataPoints[0];
  return point?.value as ExponentialHistogram;
}
