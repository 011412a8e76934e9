import { expect, test } from 'vitest';
import { Deadline } from '../../src/exporter/deadline.ts';
import { exportRecording } from '../../src/exporter/export-loop.ts';
import type { ExportOptions } from '../../src/exporter/export-options.ts';
import { ExportRun } from '../../src/exporter/export-run.ts';
import type { SendResult } from '../../src/exporter/otlp/response.ts';
import { metricsSignal } from '../../src/exporter/otlp/signal.ts';
import { SelfReport } from '../../src/exporter/self-report.ts';
import {
  jsonTarget,
  MemoryCursors,
  soonAfter,
  tenPointRecording,
} from '../support/export-fakes.ts';
import { startUnixMs } from '../support/fake-sample.ts';
import { decodeJsonRequest, type WirePoint } from '../support/otlp-wire.ts';

const target = jsonTarget('http://collector.example:4318');

test('at the end it tells what was sent, rejected and dropped, and why, at the present time', async () => {
  const world = receiver((points) =>
    points.some(({ value }) => value === 1n)
      ? { kind: 'rejected', status: 400, message: 'bad value' }
      : { kind: 'sent' },
  );
  const { sent, dropped } = await run(world, { limits: { items: 20 } });
  expect(sent + (dropped.refused ?? 0)).toBe(40);
  const own = world.own();
  expect(
    own.map(({ metric, attributes, value }) => [
      metric,
      attributes['headroom.export.outcome'] ?? '',
      attributes['error.type'] ?? '',
      Number(value),
    ]),
  ).toEqual([
    ['headroom.export.items', 'sent', '', sent],
    ['headroom.export.items', 'rejected', '', 0],
    ['headroom.export.items', 'dropped', 'refused', dropped.refused],
    ['headroom.export.retries', '', '', 0],
    ['headroom.export.lag', '', '', 61],
  ]);
  for (const { attributes, timeNanos } of own) {
    expect(attributes).toMatchObject({
      'headroom.export.signal': 'metrics',
      'server.address': 'collector.example',
      'session.id': '3f1f3a52-8a35-4d5f-9d3a-000000000001',
    });
    expect(timeNanos).toBe(BigInt(soonAfter(4)) * 1_000_000n);
  }
});

test('counts go on over exports, and without news nothing is told', async () => {
  const cursors = new MemoryCursors();
  const world = receiver(() => ({ kind: 'sent' }));
  await run(world, { runtime: { cursors, open: () => tenPointRecording(2, { isLive: true }) } });
  await run(world, { runtime: { cursors } });
  await run(world, { runtime: { cursors } });
  const sent = world
    .own()
    .filter(({ attributes }) => attributes['headroom.export.outcome'] === 'sent');
  expect(sent.map(({ value }) => Number(value))).toEqual([20, 40]);
});

test('what is older than the receiver takes is dropped without a request, and told', async () => {
  const world = receiver(() => ({ kind: 'sent' }));
  const result = await run(world, { maxAgeMs: 62_000 });
  expect(result).toMatchObject({ sent: 20, dropped: { too_old: 20 }, left: 0 });
  expect(world.own().find(({ attributes }) => attributes['error.type'] === 'too_old')?.value).toBe(
    20n,
  );
});

test('a report that is refused changes nothing', async () => {
  const world = receiver(() => ({ kind: 'sent' }), { kind: 'rejected', status: 400, message: '' });
  expect(await run(world)).toMatchObject({ sent: 40, left: 0, problem: null });
});

test('while it follows, it tells once a minute, if there is news', async () => {
  const world = receiver(() => ({ kind: 'sent' }));
  let nowUnixMs = soonAfter(100);
  let ticks = 1;
  const options = {
    target,
    runtime: {
      send: world.send,
      cursors: new MemoryCursors(),
      open: () => tenPointRecording(ticks, { isLive: true }),
      now: () => nowUnixMs,
    },
  };
  const deadline = new Deadline(async () => undefined);
  const metrics = new ExportRun('fake.db', metricsSignal(target), {
    ...options,
    deadline,
    warn: fail,
  });
  const report = new SelfReport('fake.db', [metrics], options);
  const told: number[] = [];
  for (let second = 10; second <= 240; second += 10) {
    nowUnixMs += 10_000;
    if (second <= 150) ticks++;
    await metrics.pass({ settleMs: 0 });
    const before = world.own().length;
    await report.tell();
    if (world.own().length > before) told.push(second);
  }
  expect(told).toEqual([60, 120, 180]);
});

function receiver(
  answer: (points: WirePoint[]) => SendResult,
  toReport: SendResult = { kind: 'sent' },
) {
  const reports: WirePoint[] = [];
  return {
    own: () => reports,
    send: async (body: Uint8Array): Promise<SendResult> => {
      const { points } = decodeJsonRequest(body);
      const isReport = points.every(({ metric }) => metric.startsWith('headroom.export.'));
      if (!isReport) return answer(points);
      reports.push(...points);
      return toReport;
    },
  };
}

function run(world: ReturnType<typeof receiver>, options: Partial<ExportOptions> = {}) {
  return exportRecording('fake.db', {
    target,
    reportsItself: true,
    ...options,
    runtime: {
      open: () => tenPointRecording(4),
      cursors: new MemoryCursors(),
      now: () => soonAfter(4),
      sleep: async () => undefined,
      send: world.send,
      ...options.runtime,
    },
  });
}

function fail(message: string): never {
  throw new Error(`${message} at ${startUnixMs}`);
}
