import { expect, test } from 'vitest';
import { TelemetryLog } from '../../../src/host/telemetry/telemetry-log.ts';

const event = (ts: number) => ({
  ts,
  type: 'x',
  category: 'system',
  source: { kind: 'local_process' },
});

async function take(log: TelemetryLog, afterSeq: number, count: number): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of log.follow(afterSeq, new AbortController().signal)) {
    if (seqs.push(seq) === count) break;
  }
  return seqs;
}

test('a reader that comes back goes on where it was; a new one waits for what comes', async () => {
  const log = new TelemetryLog();
  for (let ts = 1; ts <= 3; ts++) log.publish(event(ts));
  expect(await take(log, 0, 3)).toEqual([1, 2, 3]);
  const waiting = take(log, 2, 2);
  log.publish(event(4));
  expect(await waiting).toEqual([3, 4]);
});

test('live streams go back 1,024 events, the archive keeps the rest', async () => {
  const log = new TelemetryLog();
  for (let ts = 1; ts <= 3_000; ts++) log.publish(event(ts));
  expect(await take(log, 0, 1)).toEqual([1_977]);
  expect(log.events).toHaveLength(3_000);
});

test('a stream ends with its signal', async () => {
  const stop = new AbortController();
  const stream = new TelemetryLog().follow(0, stop.signal);
  const next = stream.next();
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});
