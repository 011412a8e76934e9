import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PointReader } from '../../../src/exporter/otlp/point-reader.ts';
import { mostProcesses, ProcessPoints } from '../../../src/exporter/otlp/process-points.ts';
import type { Point } from '../../../src/exporter/otlp/session-points.ts';
import type { LivingProcess } from '../../../src/exporter/role-totals.ts';
import { soonAfter } from '../../support/export-fakes.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import { fakeProcess, fakeSample, mib, startUnixMs } from '../../support/fake-sample.ts';

const identity = { 'session.id': 's' };
const at = { unixMs: startUnixMs + 5000, startUnixMs };

function process(row: number, rssBytes: number, parts: Partial<LivingProcess> = {}): LivingProcess {
  const record = {
    process: row,
    pid: 1000 + row,
    role: 'renderer' as const,
    firstUnixMs: startUnixMs + 2000,
    endedUnixMs: null,
    firstCpuMs: 0,
    lastCpuMs: 0,
  };
  const unknown = { anonBytes: null, swapBytes: null, pssBytes: null };
  return { record, rssBytes, cpuMs: 1500, ...unknown, ...parts };
}

function told(points: readonly Point[], name: string): Record<string, unknown> {
  return Object.fromEntries(
    points
      .filter(({ series }) => series.metric.name === name)
      .map(({ series, value }) => [
        series.attributes['process.pid'] ?? series.attributes['headroom.left_out.reason'],
        value,
      ]),
  );
}

test('the largest by RSS, and how many are left out', () => {
  const all = [process(1, 10 * mib), process(2, 30 * mib), process(3, 20 * mib)];
  const processes = new ProcessPoints(identity, 2);
  const points = processes.pointsOf(all, at);
  expect(told(points, 'process.memory.usage')).toEqual({ 1002: 30 * mib, 1003: 20 * mib });
  expect(told(points, 'headroom.export.processes.left_out')).toEqual({
    smaller: 1,
    session_limit: 0,
  });
  expect(processes.notices).toEqual([expect.stringContaining('more than 2 processes')]);
});

test('a point says whose it is; CPU time counts from the first sight of the process', () => {
  const [usage, cpu, ...others] = new ProcessPoints(identity, 5).pointsOf([process(7, 8)], at);
  const attributes = {
    'session.id': 's',
    'process.pid': '1007',
    'headroom.process.role': 'renderer',
  };
  expect(usage).toMatchObject({ series: { attributes }, startUnixMs, timeUnixMs: at.unixMs });
  expect(cpu).toMatchObject({ series: { attributes }, value: 1.5 });
  expect(cpu?.series.metric.name).toBe('process.cpu.time');
  expect(cpu?.startUnixMs).toBe(startUnixMs + 2000);
  // What is not known of it is not there.
  expect(others.map(({ series }) => series.metric.name)).toEqual([
    'headroom.export.processes.left_out',
    'headroom.export.processes.left_out',
  ]);
});

test('of two with one pid only the younger one is there', () => {
  const young = process(2, 5);
  const old = process(1, 9, { record: { ...young.record, process: 1 } });
  const points = new ProcessPoints(identity, 5).pointsOf([old, young], at);
  expect(told(points, 'process.memory.usage')).toEqual({ 1002: 5 });
});

test('series are bounded while renderers come and go by the thousand', () => {
  const processes = new ProcessPoints(identity, 3);
  const pids = new Set<string | undefined>();
  let last: Point[] = [];
  for (let row = 1; row <= 3 * mostProcesses; row++) {
    // The first one stays, and is smaller than all who come.
    last = processes.pointsOf([process(1, 1), process(row + 1, 50)], at);
    for (const { series } of last) pids.add(series.attributes['process.pid']);
  }
  pids.delete(undefined);
  expect(pids.size).toBe(mostProcesses);
  expect(told(last, 'process.memory.usage')).toEqual({ 1001: 1 });
  expect(told(last, 'headroom.export.processes.left_out')).toEqual({
    smaller: 0,
    session_limit: 1,
  });
  expect(processes.notices).toEqual([expect.stringContaining('1000 processes of the session')]);
});

test('an export that was interrupted tells the same as one that was not', () => {
  const limits = { items: 40, spanMs: 300_000 };
  const horizon = { ended: true, nowUnixMs: soonAfter(40) };
  const options = { encoding: 'json', perProcess: 2 } as const;
  const processesAt = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 50 })));
  fc.assert(
    fc.property(fc.array(processesAt, { minLength: 2, maxLength: 20 }), fc.nat(), (ticks, cut) => {
      const samples = ticks.map((some, second) =>
        fakeSample({
          second,
          processes: [...new Map(some)].map(([pid, size]) =>
            fakeProcess({ pid, role: 'renderer', rssBytes: size * mib, anonBytes: size * mib }),
          ),
        }),
      );
      const recording = fakeRecording({ samples });
      const whole = keysOf(new PointReader(recording, null, options));
      const sequence = 1 + (cut % ticks.length);
      const rest = keysOf(new PointReader(recording, { sequence, isClosed: false }, options));
      const cutUnixMs = startUnixMs + (sequence - 1) * 1000;
      expect(rest).toEqual(whole.filter(({ timeUnixMs }) => timeUnixMs > cutUnixMs));

      function keysOf(reader: PointReader) {
        const points: Point[] = [];
        for (;;) {
          const batch = reader.next(recording, limits, horizon);
          if (batch === null) break;
          points.push(...batch.items);
        }
        return points
          .filter(({ series }) => 'process.pid' in series.attributes)
          .map(({ series, timeUnixMs, startUnixMs, value }) => {
            const { metric, attributes } = series;
            return { name: metric.name, attributes, timeUnixMs, startUnixMs, value };
          });
      }
    }),
  );
});
