import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportRecording } from '../../src/exporter/export-loop.ts';
import type { ExportOptions } from '../../src/exporter/export-options.ts';
import { resolveTarget } from '../../src/exporter/otlp/endpoint.ts';
import type { SendResult } from '../../src/exporter/otlp/response.ts';
import type { Sample } from '../../src/model/sample.ts';
import { workingSetBytes } from '../../src/model/session-memory.ts';
import { readCursor } from '../../src/store/export-cursor.ts';
import { openRecording } from '../../src/store/reader.ts';
import { StoreWriter } from '../../src/store/writer.ts';
import { decodeProtobufRequest, type WirePoint } from '../support/otlp-wire.ts';
import { syntheticFacts, syntheticSamples } from '../support/synthetic-session.ts';

// The whole way with the real store: 150 ticks of 20 processes, over two closed minutes.
const samples = [...syntheticSamples({ tickCount: 150, processCount: 20 })];
const target = resolveTarget({ endpoint: 'http://collector:4318', sendsLogs: false }, {});
const folder = mkdtempSync(path.join(os.tmpdir(), 'headroom-stored-'));
const file = path.join(folder, 'session.db');
const points: WirePoint[] = [];

beforeAll(async () => {
  writeRecording(file, samples);
  await exportTo(points);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every tick arrives with the time and the bytes that were sampled', () => {
  const free = valuesOf('system.memory.usage', { 'system.memory.state': 'free' });
  expect(free).toEqual(
    samples.map((sample) => [sample.timeUnixMs, BigInt(sample.machine.freeBytes)]),
  );
});

test('roles add up to the processes that were sampled', () => {
  const wrong = samples.filter((sample) => {
    const members = sample.processes.filter(({ browserPid }) => browserPid !== null);
    const roles = new Set(members.map(({ role }) => role));
    return [...roles].some((role) => {
      const counted = valueAt('headroom.browser.processes', role, sample.timeUnixMs);
      return counted !== members.filter((process) => process.role === role).length;
    });
  });
  expect(wrong).toEqual([]);
});

test('percentiles are those of the file, to the byte', () => {
  using recording = openRecording(file);
  const exported = points.filter(
    ({ metric, attributes }) =>
      metric === 'headroom.rollup.memory.working_set' &&
      attributes['headroom.rollup.window'] === 'session',
  );
  const sketch = recording.distribution({ scope: 'session', metric: 'working_set' });
  const stats = Object.fromEntries(
    exported.map(({ attributes, value }) => [attributes['headroom.rollup.stat'], value]),
  );
  expect(stats['p95']).toBe(Math.round(sketch?.quantile(0.95) ?? Number.NaN));
  const largest = Math.max(...samples.map((sample) => workingSetBytes(sample) ?? 0));
  expect(stats['max']).toBe(largest);
});

test('the position is in the file, and nothing is sent a second time', async () => {
  expect(readCursor(file, target.metrics.key)).toMatchObject({
    sequence: 150,
    sentCount: points.length,
    droppedCount: 0,
    detail: '{"closed":true,"dropped":{},"refusal":null}',
  });
  const again: WirePoint[] = [];
  expect(await exportTo(again)).toMatchObject({ sent: 0, left: 0, problem: null });
  expect(again).toEqual([]);
});

test('in two halves, of which the first is cut off, the same points arrive', async () => {
  const other = path.join(folder, 'other.db');
  writeRecording(other, samples);
  const halves: WirePoint[] = [];
  let requests = 0;
  const limits = { items: 500 };
  const first = await exportTo(halves, other, {
    limits,
    runtime: {
      send: async (body) => {
        if (++requests > 5) return { kind: 'misconfigured', message: 'gone', hint: 'Start it.' };
        return collect(halves, body);
      },
    },
  });
  expect(first.left).toBeGreaterThan(0);
  expect(first.sent + first.left).toBe(points.length);
  await exportTo(halves, other, { limits });
  expect(halves).toHaveLength(points.length);
  expect(new Set(halves.map(textOf))).toEqual(new Set(points.map(textOf)));
});

test('single processes on request: the largest, and that there are more', async () => {
  const other = path.join(folder, 'per-process.db');
  writeRecording(other, samples.slice(0, 20));
  const sent: WirePoint[] = [];
  const warnings: string[] = [];
  await exportTo(sent, other, {
    perProcess: 2,
    onEvent: (event) => event.kind === 'warning' && warnings.push(event.message),
  });
  const usage = sent.filter(({ metric }) => metric === 'process.memory.usage');
  expect(usage).toHaveLength(2 * 20);
  const ofBrowser = new Map(
    samples[0]?.processes.flatMap(({ pid, role, browserPid }) =>
      browserPid === null ? [] : [[String(pid), role]],
    ),
  );
  for (const { attributes } of usage) {
    const pid = String(attributes['process.pid']);
    expect(attributes['headroom.process.role']).toBe(ofBrowser.get(pid));
  }
  expect(warnings).toContainEqual(
    expect.stringContaining('more than 2 processes of the browser at a time'),
  );
});

test('a file in a folder that cannot be written is exported', async () => {
  const locked = mkdtempSync(path.join(folder, 'locked-'));
  const copy = path.join(locked, 'session.db');
  writeRecording(copy, samples.slice(0, 5));
  chmodSync(copy, 0o444);
  chmodSync(locked, 0o555);
  const sent: WirePoint[] = [];
  try {
    expect(await exportTo(sent, copy)).toMatchObject({ left: 0, problem: null });
    expect(sent.length).toBeGreaterThan(0);
  } finally {
    chmodSync(locked, 0o755);
  }
});

function writeRecording(at: string, rows: readonly Sample[]): void {
  const writer = StoreWriter.open(at, syntheticFacts());
  for (const sample of rows) writer.writeSample(sample, []);
  writer.close({ endedUnixMs: rows.at(-1)?.timeUnixMs ?? 0, endReason: 'duration' });
}

function exportTo(into: WirePoint[], at = file, options: Partial<ExportOptions> = {}) {
  return exportRecording(at, {
    target,
    ...options,
    runtime: { send: async (body) => collect(into, body), ...options.runtime },
  });
}

function collect(into: WirePoint[], body: Uint8Array): SendResult {
  into.push(...decodeProtobufRequest(body).points);
  return { kind: 'sent' };
}

function valuesOf(metric: string, attributes: Record<string, string>) {
  return points
    .filter((point) => point.metric === metric)
    .filter((point) =>
      Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
    )
    .map((point) => [Number(point.timeNanos / 1_000_000n), point.value]);
}

function valueAt(metric: string, role: string, unixMs: number): number | undefined {
  const found = points.find(
    (point) =>
      point.metric === metric &&
      point.attributes['headroom.process.role'] === role &&
      point.timeNanos === BigInt(unixMs) * 1_000_000n,
  );
  return found === undefined ? undefined : Number(found.value);
}

function textOf(point: WirePoint): string {
  return JSON.stringify(point, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}
