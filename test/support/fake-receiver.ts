import type { SendResult } from '../../src/exporter/otlp/response.ts';
import { decodeJsonRequest, type WirePoint } from './otlp-wire.ts';

/** An OTLP backend in memory: a point is one series at one time, and its values are kept. */
export class FakeReceiver {
  readonly values = new Map<string, Set<string>>();
  requests = 0;

  /** Takes every point of a JSON body. */
  take(body: Uint8Array): SendResult {
    for (const point of decodeJsonRequest(body).points) {
      const key = keyOf(point);
      const values = this.values.get(key) ?? new Set();
      this.values.set(key, values.add(textOf(point)));
    }
    this.requests++;
    return { kind: 'sent' };
  }

  send = async (body: Uint8Array): Promise<SendResult> => this.take(body);

  /** Times of the points, in ms, each once, in order. */
  timesUnixMs(): number[] {
    const times = [...this.values.keys()].map((key) => Number(key.split(' ')[0]));
    return [...new Set(times)].sort((a, b) => a - b);
  }
}

function textOf({ value }: WirePoint): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function keyOf(point: WirePoint): string {
  const attributes = Object.entries(point.attributes).sort().join();
  return `${point.timeNanos / 1_000_000n} ${point.metric} ${attributes}`;
}
