import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DeliveryOptions, deliver } from '../../../src/exporter/otlp/delivery.ts';
import type { SendResult } from '../../../src/exporter/otlp/response.ts';
import type { Point } from '../../../src/exporter/otlp/session-points.ts';
import { tickMetrics } from '../../../src/exporter/tick-metrics.ts';

const metric = tickMetrics[0];
if (metric === undefined) throw new Error('the catalogue is empty');

// A bare {} would match anything.
const nothing = expect.toSatisfy((dropped) => Object.keys(dropped).length === 0);

// The value is the name of the point; ten points make a tick.
const pointNamed = (value: number): Point => ({
  series: { metric, attributes: {} },
  startUnixMs: 0,
  timeUnixMs: Math.floor(value / 10) * 1000,
  value,
});
const pointsTo = (count: number): Point[] => Array.from({ length: count }, (_, n) => pointNamed(n));

test('a request that is taken is all there is', async () => {
  const world = receiver(() => ({ kind: 'sent' }));
  expect(await deliver(pointsTo(30), world.options)).toMatchObject({
    sent: 30,
    rejected: 0,
    dropped: nothing,
    stop: null,
    itemLimit: 1000,
  });
  expect(world.requests).toHaveLength(1);
});

test('what the receiver did not keep is counted and not sent again', async () => {
  const world = receiver(() => ({ kind: 'partial', rejected: 3, message: 'too old sample' }));
  const delivery = await deliver(pointsTo(10), world.options);
  expect(delivery).toMatchObject({ sent: 10, rejected: 3, dropped: nothing, stop: null });
  expect([...delivery.messages]).toEqual(['too old sample']);
  expect(world.requests).toHaveLength(1);
});

test('more rejected than were sent cannot be, and is told', async () => {
  const world = receiver(() => ({ kind: 'partial', rejected: 99, message: '' }));
  const delivery = await deliver(pointsTo(10), world.options);
  expect(delivery).toMatchObject({ sent: 10, rejected: 10, stop: null });
  expect([...delivery.messages]).toEqual([
    '99 rejected of 10 that were sent, which cannot be; all of them are taken for rejected',
  ]);
});

test('one bad point is found by halving, the others arrive in their order', async () => {
  const world = receiver((points) =>
    points.includes(777) ? refusal(400, 'bad label') : { kind: 'sent' },
  );
  const delivery = await deliver(pointsTo(1000), world.options);
  expect(delivery).toMatchObject({ sent: 999, dropped: { refused: 1 }, stop: null });
  expect(world.taken).toEqual(
    pointsTo(1000)
      .map((point) => point.value)
      .filter((value) => value !== 777),
  );
  // Two for each of the ten levels, and the first.
  expect(world.requests.length).toBeLessThanOrEqual(21);
});

test('no request has more points than the last delivery found out', async () => {
  const world = receiver((points) => (points.length > 300 ? refusal(413, '') : { kind: 'sent' }));
  const first = await deliver(pointsTo(1000), world.options);
  expect(first).toMatchObject({ sent: 1000, dropped: nothing, itemLimit: 250 });
  const next = receiver((points) => (points.length > 300 ? refusal(413, '') : { kind: 'sent' }));
  await deliver(pointsTo(1000), { ...next.options, itemLimit: first.itemLimit });
  expect(next.requests.map((points) => points.length)).toEqual([250, 250, 250, 250]);
});

test.each([
  [413, ''],
  [400, 'http: request body too large'],
  [400, 'too big data size exceeding -maxRequestSize: exceeds the limit'],
])('%i %s is a matter of size', async (status, message) => {
  const world = receiver((points) =>
    points.length > 1 ? refusal(status, message) : { kind: 'sent' },
  );
  expect(await deliver(pointsTo(8), world.options)).toMatchObject({ sent: 8, dropped: nothing });
});

test('a receiver that takes a few points at a time gets them all', async () => {
  const world = receiver((points) => (points.length > 2 ? refusal(413, '') : { kind: 'sent' }));
  expect(await deliver(pointsTo(1000), world.options)).toMatchObject({
    sent: 1000,
    dropped: nothing,
  });
});

test('a single point that is too large is dropped and does not make the next requests small', async () => {
  const world = receiver((points) => (points.includes(5) ? refusal(413, '') : { kind: 'sent' }));
  expect(await deliver(pointsTo(200), world.options)).toMatchObject({
    sent: 199,
    dropped: { too_large: 1 },
    itemLimit: 100,
  });
});

test('a body over the limit is never sent', async () => {
  const world = receiver(() => ({ kind: 'sent' }));
  const serialize = (points: readonly Point[]) =>
    Buffer.from(JSON.stringify(points.map((point) => point.value)).padEnd(points.length * 100));
  const delivery = await deliver(pointsTo(100), {
    ...world.options,
    serialize,
    maxBodyBytes: 3000,
  });
  expect(delivery).toMatchObject({ sent: 100, dropped: nothing, itemLimit: 100 });
  expect(Math.max(...world.requests.map((points) => points.length))).toBeLessThanOrEqual(30);
});

describe('points that are too old', () => {
  test('are dropped tick by tick until one is taken, and the rest is sent in one', async () => {
    const world = receiver((points) =>
      Math.min(...points) < 70
        ? refusal(400, 'err-mimir-sample-timestamp-too-old')
        : { kind: 'sent' },
    );
    const delivery = await deliver(pointsTo(200), world.options);
    expect(delivery).toMatchObject({ sent: 130, dropped: { too_old: 70 }, stop: null });
    expect(world.taken).toEqual(Array.from({ length: 130 }, (_, n) => 70 + n));
    // The whole, seven ticks that are refused, one that is taken, and the rest.
    expect(world.requests).toHaveLength(10);
  });

  test('are not a reason to stop, however many', async () => {
    const world = receiver(() => refusal(400, 'out of bounds'));
    expect(await deliver(pointsTo(500), world.options)).toMatchObject({
      sent: 0,
      dropped: { too_old: 500 },
      stop: null,
    });
    expect(world.requests).toHaveLength(51);
  });
});

describe('a receiver that refuses everything', () => {
  test.each([400, 413])(
    'with %i stops the export before more than a few points are tried',
    async (status) => {
      const world = receiver(() => refusal(status, 'no'));
      const { stop } = await deliver(pointsTo(1000), world.options);
      expect(stop).toMatchObject({
        kind: 'failed',
        message: expect.stringContaining(`status ${status} no`),
      });
      expect(world.requests.length).toBeLessThan(40);
    },
  );

  test('by failing is waited for once and not for each of its parts', async () => {
    const world = receiver(() => refusal(500, 'boom'));
    const { stop } = await deliver(pointsTo(1000), world.options);
    expect(stop).toMatchObject({ kind: 'failed' });
    expect(world.slept).toBe(4);
  });
});

test('a receiver that never took anything is not believed that every one of a few items is bad', async () => {
  const world = receiver(() => refusal(400, 'unsupported path'));
  const options = { ...world.options, hasTaken: false };
  expect((await deliver(pointsTo(3), options)).stop).toMatchObject({ kind: 'failed' });
  expect((await deliver(pointsTo(3), world.options)).dropped).toEqual({ refused: 3 });
});

test('many bad points cost a bounded number of requests; what is not found out is dropped', async () => {
  const world = receiver((points) =>
    points.some((n) => n % 3 === 0) ? refusal(400, 'bad') : { kind: 'sent' },
  );
  const { sent, dropped, stop } = await deliver(pointsTo(3000), {
    ...world.options,
    itemLimit: 3000,
  });
  expect(stop).toBeNull();
  expect(sent + (dropped.refused ?? 0)).toBe(3000);
  expect(world.requests.length).toBeLessThan(300);
});

test('wrong settings or time that is over stop it in the middle', async () => {
  let requests = 0;
  const world = receiver(() =>
    ++requests === 1 ? refusal(413, '') : { kind: 'misconfigured', message: 'm', hint: 'h' },
  );
  expect((await deliver(pointsTo(10), world.options)).stop).toEqual({
    kind: 'failed',
    message: 'm',
    hint: 'h',
  });
  expect(requests).toBe(2);
});

test('every point arrives once or is dropped, whatever the receiver dislikes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 300 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 299 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 0, max: 10 }),
      async (count, bad, sizeLimit, oldTicks) => {
        const world = receiver((points) => {
          if (points.length > sizeLimit) return refusal(413, '');
          if (points.some((point) => point < oldTicks * 10)) return refusal(400, 'too old');
          return points.some((point) => bad.includes(point))
            ? refusal(400, 'bad')
            : { kind: 'sent' };
        });
        const delivery = await deliver(pointsTo(count), world.options);
        // More than seven bad ones in a row would stop it; a tick is old only as a whole.
        fc.pre(delivery.stop === null);
        const { too_old = 0, refused = 0, too_large = 0 } = delivery.dropped;
        expect(delivery.sent + too_old + refused + too_large).toBe(count);
        expect(new Set(world.taken).size).toBe(world.taken.length);
        expect(world.taken).toHaveLength(delivery.sent);
        expect(world.taken).toEqual([...world.taken].sort((a, b) => a - b));
        expect(world.taken.filter((point) => bad.includes(point) || point < oldTicks * 10)).toEqual(
          [],
        );
      },
    ),
  );
});

function refusal(status: number, message: string): SendResult {
  return { kind: 'rejected', status, message };
}

/** A receiver that decides by the names of the points. */
function receiver(decide: (points: number[]) => SendResult) {
  const world = {
    requests: [] as number[][],
    taken: [] as number[],
    slept: 0,
    options: {} as DeliveryOptions<Point>,
  };
  const never = new AbortController().signal;
  world.options = {
    serialize: (points) => Buffer.from(JSON.stringify(points.map((point) => point.value))),
    send: async (body) => {
      const points: number[] = JSON.parse(Buffer.from(body).toString());
      world.requests.push(points);
      const result = decide(points);
      if (result.kind === 'sent' || result.kind === 'partial') world.taken.push(...points);
      return result;
    },
    sleep: async () => {
      world.slept++;
    },
    random: () => 0,
    hurry: never,
    timeIsOver: never,
    onWait: () => undefined,
    maxBodyBytes: 1_000_000,
    itemLimit: 1000,
    hasTaken: true,
  };
  return world;
}
